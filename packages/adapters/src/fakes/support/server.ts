import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dropped, WireAnswer, WireRequest } from './wire.ts';

/** A fake at a port of this host. */
export interface Listening {
  /** The address of the vendor's API, for a `baseUrl`. */
  readonly url: string;
  /** Ends every connection. A second call does nothing. */
  close(): Promise<void>;
}

/** HTTP/1.1 at a free port of this host. */
export async function listen(
  basePath: string,
  serve: (request: WireRequest) => Promise<WireAnswer | Dropped>,
): Promise<Listening> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { method = 'GET', url = '/', headers } = request;
      const origin = `http://${headers.host ?? '127.0.0.1'}`;
      const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      void serve({ method, url: new URL(url, origin), headers: flat, bytes: Buffer.concat(chunks) }).then((answer) => {
        if (answer === 'dropped') return void request.socket.resetAndDestroy();
        response.writeHead(answer.status, { ...answer.headers });
        response.end(answer.body ?? '');
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${basePath}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
