import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A wire to a server that can be cut. */
export interface Proxy {
  readonly port: number;
  /** Cuts the connection that next sends bytes with this text in them: before they arrive, or when the answer is on its way back. */
  cut(text: string, when: 'before' | 'after'): void;
  close(): Promise<void>;
}

export async function proxyTo(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let plan: { readonly text: string; readonly when: 'before' | 'after' } | null = null;

  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    let isDoomed = false;
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    near.on('data', (bytes) => {
      if (plan !== null && bytes.includes(plan.text)) {
        const { when } = plan;
        plan = null;
        if (when === 'before') return end();
        isDoomed = true;
      }
      far.write(bytes);
    });
    // The whole answer is one write of the server's, made when it has committed.
    far.on('data', (bytes) => (isDoomed ? end() : near.write(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut(text, when) {
      plan = { text, when };
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
