import { fork, type ChildProcess } from 'node:child_process';
import type { KeeperAsked, KeeperNews, KeeperOrders } from './orders.ts';

/** A server of the run's own. It ends with the run, however that ends. */
export interface Kept {
  /** Ends it as a crash would. */
  end(): Promise<void>;
  /** Starts it again, with what it has on its disk; resolves when it can be used. */
  start(): Promise<void>;
  /** Ends it for good and removes its folder. */
  close(): Promise<void>;
}

/** Starts a keeper, which starts the programs. Resolves when the last of them can be used. @throws Error with what it said instead */
export async function keep(orders: KeeperOrders): Promise<Kept> {
  const child = fork(new URL('./real/keeper.js', import.meta.url), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kept: Kept = {
    end: () => asked(child, 'end'),
    start: () => asked(child, 'start'),
    async close() {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
  try {
    await asked(child, orders);
  } catch (error) {
    await kept.close();
    throw error;
  }
  return kept;
}

function asked(child: ChildProcess, message: KeeperOrders | KeeperAsked): Promise<void> {
  return new Promise((resolve, reject) => {
    const left = (): void => reject(new Error('whoever keeps the server ended by itself'));
    child.once('exit', left);
    child.once('error', reject);
    child.once('message', (news) => {
      child.off('exit', left);
      child.off('error', reject);
      const told = news as KeeperNews;
      if (told.kind === 'done') resolve();
      else reject(new Error(told.said));
    });
    child.send(message);
  });
}
