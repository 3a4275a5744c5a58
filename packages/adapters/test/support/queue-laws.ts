import { describe, test } from 'vitest';
import { queueLaws, runLaw, type QueueSubject } from '@sendonce/core/conformance';
import type { Queue } from '@sendonce/core';

/** A real queue has a clock of its own, which has to be waited for. */
export function subjectOf(
  queue: Queue,
  unitMs: number,
  close: () => Promise<void> = () => queue.close(),
): QueueSubject {
  const elapse = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  return { queue, capabilities: { ...queue.capabilities }, unitMs, elapse, close };
}

/** Every law, each on a queue of its own, side by side: most of their time is waiting. */
export function testQueueLaws(name: string, subject: () => QueueSubject | Promise<QueueSubject>): void {
  describe(name, () => {
    test.concurrent.for(queueLaws.map((law) => [law.law, law] as const))('%s', async ([, law], { skip }) => {
      const result = await runLaw(law, subject);
      if (result.kind === 'skipped') skip(result.reason);
      if (result.kind === 'broken') throw result.error;
    });
  });
}
