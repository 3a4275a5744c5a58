import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { whenOver } from './deadline.ts';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, with these options beside the defaults; null: plain. */
  readonly tls: ConnectionOptions | null;
  /** @defaultValue the resolver of this host */
  readonly lookup?: LookupFunction;
}

/**
 * A connection that is up, its TLS handshake included, and has carried nothing yet: whatever fails in here proves that nothing was sent.
 * Rejects with an error whose message is fit for a reason, when it fails or takes longer than `limitMs`; the socket is destroyed then.
 */
export function openSocket(endpoint: Endpoint, limitMs: number, signal: AbortSignal): Promise<Socket> {
  const { host, port, tls } = endpoint;
  const at = `${host}:${port}`;
  return new Promise((resolve, reject) => {
    const socket = begin(endpoint);
    const stop = whenOver(limitMs, signal, () => fail(`no connection to ${at} before the time was up`));
    const fail = (reason: string, cause?: unknown): void => {
      stop();
      socket.destroy();
      reject(new Error(reason, { cause }));
    };
    const failed = (error: Error): void => fail(`no connection to ${at} (${problemOf(error)})`, error);
    const closed = (): void => fail(`no connection to ${at} (closed)`);
    socket.on('error', failed).on('close', closed);
    socket.once(tls === null ? 'connect' : 'secureConnect', () => {
      stop();
      socket.off('error', failed).off('close', closed);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

function begin({ host, port, tls, lookup }: Endpoint): Socket {
  const to = { host, port, ...(lookup === undefined ? {} : { lookup }) };
  if (tls === null) return connect(to);
  // An address has no name to be shown to the server.
  return connectTls({ ...to, ...(isIP(host) === 0 ? { servername: host } : {}), ...tls });
}

/** An error's code, which says it shortest, else what it says. */
export function problemOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return typeof code === 'string' ? code : String(message);
}
