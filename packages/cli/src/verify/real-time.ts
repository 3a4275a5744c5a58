import type { Queue } from '@sendonce/core';

export interface Paced {
  readonly queue: Queue;
  readonly elapse: (ms: number) => Promise<void>;
}

/** Waits, for a store with a clock of its own. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * A queue with a clock of its own has to be waited for: as long as was asked for, or until everybody who is waiting at the queue has
 * been answered.
 */
export function paced(real: Queue): Paced {
  const receiving = new Set<Promise<unknown>>();
  return {
    queue: {
      capabilities: real.capabilities,
      enqueue: (...args) => real.enqueue(...args),
      receive(options) {
        const answer = real.receive(options);
        const over = Promise.resolve(answer).catch(() => undefined);
        receiving.add(over);
        void over.then(() => receiving.delete(over));
        return answer;
      },
      ack: (batch) => real.ack(batch),
      release: (...args) => real.release(...args),
      extend: (...args) => real.extend(...args),
      depth: () => real.depth(),
      close: () => real.close(),
    },
    async elapse(ms) {
      let timer: NodeJS.Timeout | undefined;
      const passed = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
      await (receiving.size === 0 ? passed : Promise.race([passed, Promise.all(receiving)]));
      clearTimeout(timer);
    },
  };
}
