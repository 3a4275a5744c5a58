import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';

export interface Http2Request {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface FakeHttp2 {
  readonly url: string;
  /** Every request that was read as a whole, whatever was answered. */
  readonly complete: Http2Request[];
  sessions(): number;
  pings(): number;
  /** Ends every session as a server does that goes away. */
  endSessions(): Promise<void>;
  /** Resets every connection. */
  reset(): void;
  close(): Promise<void>;
}

/** What is done once the whole request was read. */
export type Http2Act = (stream: ServerHttp2Stream, session: ServerHttp2Session, fake: FakeHttp2) => void;

/** HTTP/2 without TLS, at a free port of this host. */
export async function fakeHttp2(act: Http2Act, maxConcurrentStreams = 100): Promise<FakeHttp2> {
  const complete: Http2Request[] = [];
  const open = new Set<ServerHttp2Session>();
  let sessions = 0;
  let pings = 0;
  const server = createServer({ settings: { maxConcurrentStreams } });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('session', (session) => {
    sessions += 1;
    open.add(session);
    session.on('ping', () => (pings += 1));
    session.on('close', () => open.delete(session)).on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    let body = '';
    stream.setEncoding('utf8').on('error', () => undefined);
    stream.on('data', (chunk: string) => (body += chunk));
    stream.on('end', () => {
      complete.push({ headers, body });
      act(stream, stream.session as ServerHttp2Session, fake);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeHttp2 = {
    url: `http://127.0.0.1:${port}`,
    complete,
    sessions: () => sessions,
    pings: () => pings,
    endSessions: async () => {
      await Promise.all([...open].map((each) => new Promise<void>((resolve) => each.close(resolve))));
    },
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: () =>
      new Promise((resolve) => {
        for (const session of open) session.destroy();
        server.close(() => resolve());
      }),
  };
  return fake;
}
