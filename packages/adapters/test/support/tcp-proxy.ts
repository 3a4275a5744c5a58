import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Connections made through it so far. */
  readonly connections: number;
  /** Connections that are open now. */
  readonly open: number;
  /**
   * Of the next request that fits, the server gets everything, and the client loses the reply and the connection. Resolves once that
   * has happened.
   */
  loseReply(fits: (request: Buffer) => boolean): Promise<void>;
  /** From now on nothing passes, and nobody is told: every connection is half open, for good. New ones pass after `resume`. */
  swallow(): void;
  resume(): void;
  /** Ends every connection. */
  cut(): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isSwallowed: boolean;
}

/** Stands between a client and a server on this host, and fails as networks do. */
export async function tcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let connections = 0;
  let swallows = false;
  let losing: { readonly fits: (request: Buffer) => boolean; readonly lost: () => void } | null = null;

  const listener = createServer((client) => {
    connections += 1;
    const server = connect(targetPort, '127.0.0.1');
    const pair: Pair = { client, server, isSwallowed: swallows };
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    let lost: (() => void) | null = null;
    client.on('data', (request) => {
      if (pair.isSwallowed) return;
      if (losing?.fits(request) === true) {
        lost = losing.lost;
        losing = null;
      }
      server.write(request);
    });
    server.on('data', (reply) => {
      if (pair.isSwallowed) return;
      if (lost === null) client.write(reply);
      else {
        end();
        lost();
      }
    });
    // What is half open hears of no end either.
    for (const socket of [client, server]) socket.on('error', () => undefined);
    for (const socket of [client, server]) socket.on('close', () => void (pair.isSwallowed || end()));
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const endAll = (): void => {
    for (const { client, server } of pairs) for (const socket of [client, server]) socket.destroy();
    pairs.clear();
  };

  return {
    port: (listener.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    get open() {
      return pairs.size;
    },
    loseReply: (fits) => new Promise((lost) => (losing = { fits, lost })),
    swallow() {
      swallows = true;
      for (const pair of pairs) pair.isSwallowed = true;
    },
    resume: () => void (swallows = false),
    cut: endAll,
    async close() {
      endAll();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
