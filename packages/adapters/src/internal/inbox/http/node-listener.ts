import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * A handler of requests as a listener of `node:http`, and of what is built on it. The body must not have been read by then. It never
 * rejects; a client that goes ends its stream.
 */
export function nodeListener(
  handler: FetchHandler,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const request = requestOf(incoming, gone.signal);
    const answer =
      request === null
        ? new Response(null, { status: 400 })
        : await handler(request).catch(() => new Response(null, { status: 500 }));
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) {
      outgoing.end();
      return;
    }
    // Rejects when either side has gone, which is nobody's mistake.
    await pipeline(Readable.fromWeb(answer.body), outgoing).catch(() => undefined);
  };
}

/** Null: Node lets it through, and no `Request` can be made of it, as of a target of `//` or with a password, or of TRACE. */
function requestOf(incoming: IncomingMessage & { readonly originalUrl?: string }, signal: AbortSignal): Request | null {
  const { method = 'GET', rawHeaders } = incoming;
  const headers = new Headers();
  const hasBody = method !== 'GET' && method !== 'HEAD';
  try {
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
    // Where a framework has cut off the path at which it is mounted, it keeps the whole one.
    return new Request(new URL(incoming.originalUrl ?? incoming.url ?? '/', 'http://localhost'), {
      method,
      headers,
      signal,
      ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' }),
    });
  } catch {
    return null;
  }
}
