import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as it came. */
  readonly bytes: Buffer;
}

/** What is done once the whole request was read: bytes to write, then how the connection goes on. */
export interface HttpAct {
  readonly write?: string;
  readonly then: 'close' | 'reset' | 'hang';
}

export interface FakeHttp {
  readonly port: number;
  readonly url: string;
  /** Every request that was read as a whole, whatever was answered. */
  readonly complete: ReceivedRequest[];
  connections(): number;
  close(): Promise<void>;
}

/** A server of bytes, not of HTTP: it answers with what no proper server would. */
export async function fakeHttp(act: (request: ReceivedRequest) => HttpAct): Promise<FakeHttp> {
  const complete: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let input = '';
    socket.on('data', (chunk) => {
      // One character a byte: a body may be no text.
      input += chunk.toString('latin1');
      const request = requestIn(input);
      if (request === null) return;
      input = '';
      complete.push(request);
      const { write = '', then } = act(request);
      if (write !== '') socket.write(write);
      if (then === 'close') socket.end();
      // What was written must have left before the reset throws it away.
      if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), write === '' ? 0 : 20);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hooks/secret-token?x=1`,
    complete,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function requestIn(input: string): ReceivedRequest | null {
  const end = input.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [line = '', ...lines] = input.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((each) => [each.slice(0, each.indexOf(':')).toLowerCase(), each.slice(each.indexOf(':') + 1).trim()]),
  );
  const bytes = Buffer.from(input.slice(end + 4), 'latin1');
  const isWhole = bytes.length >= Number(headers['content-length'] ?? 0);
  return isWhole ? { line, headers, body: bytes.toString('utf8'), bytes } : null;
}

/** A whole answer. */
export function answer(status: number, body = '', headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers });
  return `HTTP/1.1 ${status} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
