import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const HOST = '127.0.0.1';

/** What a server answers: a status and a JSON body, or `cut`: the connection is destroyed and nothing is answered. */
export type Reply = { readonly status: number; readonly body: unknown } | 'cut';
/** `gone`: aborts when the caller hangs up. */
export type Handler = (body: unknown, gone: AbortSignal) => Promise<Reply>;

/** What a caller knows in the end. `refused`: nothing left this process. `lost`: it may have arrived. */
export type Answered =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'lost'; readonly reason: string };

/** Serves JSON by POST, on the loopback interface alone, at a free port. */
export async function serve(routes: Readonly<Record<string, Handler>>): Promise<{ port: number; server: Server }> {
  const server = createServer((incoming, outgoing) => {
    answer(routes, incoming, outgoing).catch(() => outgoing.destroy());
  });
  // A connection that is closed while a request is on its way would look like a lost answer.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, resolve);
  });
  return { port: (server.address() as AddressInfo).port, server };
}

async function answer(
  routes: Readonly<Record<string, Handler>>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const handler = routes[incoming.url ?? ''];
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const body: unknown = JSON.parse(await textOf(incoming));
  const reply = handler === undefined ? { status: 404, body: {} } : await handler(body, gone.signal);
  if (reply === 'cut') {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

export interface Caller {
  call(
    path: string,
    body: unknown,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<Answered>;
  close(): void;
}

/** Calls such a server. Connections are kept and used again. */
export function caller(port: number): Caller {
  const agent = new Agent({ keepAlive: true });
  return {
    call(path, body, { timeoutMs, signal }) {
      if (signal?.aborted === true) return Promise.resolve({ kind: 'refused', reason: 'given up before it left' });
      return new Promise((resolve) => {
        const headers = { 'content-type': 'application/json' };
        const outgoing = request({ agent, host: HOST, port, path, method: 'POST', headers });
        let isAnswered = false;
        const giveUp = (reason: string): void => {
          resolve({ kind: 'lost', reason });
          outgoing.destroy();
        };
        const aborted = (): void => giveUp('given up');
        const timer = setTimeout(() => giveUp('no answer within the time limit'), timeoutMs);
        signal?.addEventListener('abort', aborted, { once: true });
        outgoing.once('close', () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', aborted);
          // Within an answer, whoever reads it says what became of it.
          if (!isAnswered) resolve({ kind: 'lost', reason: 'the connection was closed' });
        });
        outgoing.once('error', (error: NodeJS.ErrnoException) => {
          const kind = error.code === 'ECONNREFUSED' ? 'refused' : 'lost';
          resolve({ kind, reason: error.message });
        });
        outgoing.once('response', (incoming) => {
          isAnswered = true;
          textOf(incoming)
            .then((text) => JSON.parse(text) as unknown)
            .then(
              (body) => resolve({ kind: 'answered', status: incoming.statusCode ?? 0, body }),
              () => resolve({ kind: 'lost', reason: 'the connection was closed within the answer' }),
            );
        });
        outgoing.end(JSON.stringify(body));
      });
    },
    close: () => agent.destroy(),
  };
}
