import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import type { Outcome } from '@sendonce/core';
import { whenOver, type Deadline } from '../deadline.ts';
import { openSocket, problemOf } from '../open-socket.ts';

export interface HttpPost {
  readonly url: URL;
  /** Beside `host`, `content-length` and `connection`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface HttpLimits {
  readonly deadline: Deadline;
  /** How long all of it may take, ms. */
  readonly timeoutMs: number;
  /** How long the rest of the answer may take once its status is there, ms. */
  readonly bodyMs: number;
  readonly lookup?: LookupFunction;
}

/** What the other side said. `body` is null when it broke off, came too slowly or was longer than 64 KiB. */
export interface HttpAnswer {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string | null;
}

export type HttpResult =
  | HttpAnswer
  | (Extract<Outcome, { readonly kind: 'not-sent' }> & { readonly cause?: unknown })
  | Extract<Outcome, { readonly kind: 'unknown' }>;

/**
 * Sends one request, once, and says what is known of it: an answer, `not-sent` for all that happens before its first byte, `unknown` for
 * a time limit, a reset or nonsense after that. Never rejects and follows no redirect.
 *
 * Not with `fetch`: that sends a request again by itself when a kept connection answers 421. And each request has a connection of its
 * own: the reset of a kept one that its server had just closed cannot be told from an answer that was lost.
 */
export async function post(call: HttpPost, limits: HttpLimits): Promise<HttpResult> {
  const { url } = call;
  const { deadline, timeoutMs, lookup } = limits;
  const endsAt = performance.now() + timeoutMs;
  const isSecure = url.protocol === 'https:';
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  const endpoint = { host: hostOf(url), port, tls: isSecure ? {} : null, ...(lookup === undefined ? {} : { lookup }) };
  let socket: Socket;
  try {
    socket = await openSocket(endpoint, Math.min(timeoutMs, deadline.startMs()), deadline.signal);
  } catch (error) {
    const { message: reason, cause } = error as Error;
    return { kind: 'not-sent', reason, cause };
  }
  // A process that was paused while it connected: nothing has left, and now nothing may.
  if (deadline.leftMs() <= 0) {
    socket.destroy();
    return { kind: 'not-sent', reason: 'the send deadline passed before the first byte' };
  }
  return exchange(socket, call, { ...limits, timeoutMs: Math.min(endsAt - performance.now(), deadline.leftMs()) });
}

function exchange(socket: Socket, { url, headers, body }: HttpPost, limits: HttpLimits): Promise<HttpResult> {
  const { deadline, timeoutMs, bodyMs } = limits;
  const began = performance.now();
  return new Promise((resolve) => {
    const sending = request({
      createConnection: () => socket,
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body), connection: 'close' },
    });
    const finish = (result: HttpResult): void => {
      stop();
      resolve(result);
      socket.destroy();
    };
    let isAnswered = false;
    // What breaks after the status is the rest of an answer, not the lack of one.
    const unknown = (reason: string): void => (isAnswered ? undefined : finish({ kind: 'unknown', reason }));
    const stop = whenOver(timeoutMs, deadline.signal, () =>
      unknown(`no answer within ${Math.round(performance.now() - began)} ms`),
    );
    sending.on('response', (response) => {
      stop();
      isAnswered = true;
      const { statusCode: status = 0, headers: said } = response;
      const answered = (text: string | null): void => finish({ kind: 'answered', status, headers: said, body: text });
      read(response, Math.min(bodyMs, timeoutMs - (performance.now() - began)), deadline.signal, answered);
    });
    sending.on('error', (error) => unknown(`the connection broke before an answer (${problemOf(error)})`));
    sending.on('close', () => unknown('the connection was closed before an answer'));
    sending.end(body);
  });
}

/** Longer answers say nothing that we need. */
const MOST_BYTES = 65_536;

/** Calls back once, with the whole text or null. */
function read(
  response: IncomingMessage,
  limitMs: number,
  signal: AbortSignal,
  done: (body: string | null) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = (): void => {
    stop();
    done(response.complete && length <= MOST_BYTES ? Buffer.concat(chunks).toString() : null);
  };
  const stop = whenOver(limitMs, signal, finish);
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_BYTES) finish();
  });
  response.on('end', finish).on('error', finish).on('close', finish);
}

/** The host as sockets and resolvers take it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
