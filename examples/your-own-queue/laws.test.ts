import { queueLaws, runLaw, type QueueSubject } from '@sendonce/core/conformance';
import { manualClock, memoryQueue } from '@sendonce/core/memory';
import { test } from 'vitest';

// #region laws
/** A fresh, empty queue for each law. Put yours in the place of `memoryQueue`. */
function subject(): QueueSubject {
  const clock = manualClock();
  const queue = memoryQueue({ clock, visibilityMs: 1_000 });
  return {
    queue,
    capabilities: { ...queue.capabilities },
    unitMs: 100,
    elapse: (ms) => clock.advance(ms), // a queue with a clock of its own has to be waited for
    close: () => queue.close(),
  };
}

test.for(queueLaws)('queue: $law', async (law, { skip }) => {
  const result = await runLaw(law, subject);
  if (result.kind === 'skipped') skip(result.reason);
  if (result.kind === 'broken') throw result.error;
});
// #endregion
