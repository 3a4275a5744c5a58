import freshQueue from './fresh-queue.ts';

/** The same queue with one mistake: what is released comes back at once, whatever delay was asked for. */
export default function ignoresDelays() {
  const { queue, ...rest } = freshQueue();
  return {
    queue: { ...queue, release: (batch: Parameters<typeof queue.release>[0]) => queue.release(batch, { delayMs: 0 }) },
    ...rest,
  };
}
