import type { Queue } from '@sendonce/core';
import { queueLaws, runLaw, type LawResult, type QueueSubject } from '@sendonce/core/conformance';
import { beforeAll, describe, test } from 'vitest';

/**
 * A real queue has a clock of its own, which has to be waited for: as long as was asked for, or until everybody who is waiting at the
 * queue has been answered.
 */
export function subjectOf(real: Queue, unitMs: number, close: () => Promise<void> = () => real.close()): QueueSubject {
  const receiving = new Set<Promise<unknown>>();
  const queue: Queue = {
    ...real,
    receive(options) {
      const answer = real.receive(options);
      const over = answer.catch(() => undefined);
      receiving.add(over);
      void over.then(() => receiving.delete(over));
      return answer;
    },
  };
  const elapse = async (ms: number): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const passed = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
    await (receiving.size === 0 ? passed : Promise.race([passed, Promise.all(receiving)]));
    clearTimeout(timer);
  };
  return { queue, capabilities: { ...queue.capabilities }, unitMs, elapse, close };
}

/** Every law, each on a queue of its own, side by side, as many at once as the server can take: most of their time is waiting. */
export function testQueueLaws(
  name: string,
  subject: () => QueueSubject | Promise<QueueSubject>,
  atOnce: number = queueLaws.length,
): void {
  const results = new Map<string, Promise<LawResult>>();
  // Of the file, so that all its queues' laws run at once.
  beforeAll(() => {
    const lanes = Array.from({ length: atOnce }, (): Promise<unknown> => Promise.resolve());
    for (const [i, law] of queueLaws.entries()) {
      const result = (lanes[i % atOnce] ?? Promise.resolve()).then(() => runLaw(law, subject));
      lanes[i % atOnce] = result;
      results.set(law.law, result);
    }
  });
  describe(name, () => {
    test.for(queueLaws.map(({ law }) => law))('%s', async (law, { skip }) => {
      const result = await results.get(law);
      if (result?.kind === 'skipped') skip(result.reason);
      if (result?.kind === 'broken') throw result.error;
    });
  });
}
