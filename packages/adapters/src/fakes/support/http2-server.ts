import { constants, createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Listening } from './server.ts';
import type { Dropped, WireAnswer, WireRequest } from './wire.ts';

/** HTTP/2 without TLS at a free port of this host. What is dropped is the whole connection, as when a host dies. */
export async function listenHttp2(serve: (request: WireRequest) => Promise<WireAnswer | Dropped>): Promise<Listening> {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const { ':method': method = 'GET', ':path': path = '/', ':authority': host = '127.0.0.1' } = headers;
      const named = Object.entries(headers).filter(([name]) => !name.startsWith(':'));
      const request = {
        method,
        url: new URL(path, `http://${host}`),
        headers: Object.fromEntries(named.map(([name, value]) => [name, String(value)])),
        bytes: Buffer.concat(chunks),
      };
      void serve(request).then((answer) => reply(stream, answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        for (const session of sessions) session.destroy();
        server.close(() => resolve());
      }),
  };
}

function reply(stream: ServerHttp2Stream, answer: WireAnswer | Dropped): void {
  if (stream.destroyed) return;
  if (answer === 'dropped') return void stream.session?.destroy(undefined, constants.NGHTTP2_INTERNAL_ERROR);
  stream.respond({ ...answer.headers, ':status': answer.status });
  stream.end(answer.body ?? '');
}
