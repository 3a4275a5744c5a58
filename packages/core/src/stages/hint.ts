import type { Queue } from '../ports/queue.ts';
import type { Context } from './context.ts';
import { inTime } from './in-time.ts';

/** How long a queue may take to store wakes before its caller goes on without them, ms. */
const HINT_LIMIT_MS = 2_000;
/** Wakes whose delays differ by no more than this share of the shortest go in one call, within these bounds, ms: so much later than due they may come. */
const NEAR_SHARE = 0.1;
const NEAR_MS = { least: 100, most: 1_000 };

/**
 * Wakes are hints: a queue that refuses one, or never answers, costs time, never a message, since the sweeper claims what is due. Answers
 * whether it took them.
 */
export async function hint(
  { clock }: Pick<Context, 'clock'>,
  queue: Queue | null,
  ids: readonly string[],
  delayMs = 0,
): Promise<boolean> {
  if (queue === null || ids.length === 0 || delayMs > queue.capabilities.maxDelayMs) return false;
  const { maxBatch } = queue.capabilities;
  for (let at = 0; at < ids.length; at += maxBatch) {
    const wakes = ids.slice(at, at + maxBatch).map((id) => ({ id }));
    try {
      const stored = await inTime(clock, queue.enqueue(wakes, { delayMs }), HINT_LIMIT_MS, () => null);
      if (stored === null) return false;
    } catch {
      return false;
    }
  }
  return true;
}

/**
 * The same for what is due at different times: those near each other in one call, at the latest of their times. A wake that comes before
 * its record is due is told that the ledger will bring it back, which takes the sweeper's patience longer than a wake.
 */
export async function hintEach(
  context: Pick<Context, 'clock'>,
  queue: Queue | null,
  due: readonly { readonly id: string; readonly delayMs: number }[],
): Promise<void> {
  const sorted = due.toSorted((a, b) => a.delayMs - b.delayMs);
  for (let from = 0; from < sorted.length;) {
    const { delayMs } = sorted[from]!;
    const until = delayMs + Math.min(NEAR_MS.most, Math.max(NEAR_MS.least, delayMs * NEAR_SHARE));
    const beyond = sorted.findIndex((each) => each.delayMs > until);
    const near = sorted.slice(from, beyond < 0 ? sorted.length : beyond);
    const ids = near.map(({ id }) => id);
    // Whoever waits for an outcome to be settled waits for this: a queue that does not answer is asked once.
    if (!(await hint(context, queue, ids, near.at(-1)!.delayMs))) return;
    from += near.length;
  }
}
