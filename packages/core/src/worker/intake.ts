import { kindOf } from '../model/keys.ts';
import type { Queue, ReceivedWake } from '../ports/queue.ts';
import type { Context } from '../stages/context.ts';
import type { Backlog } from './backlog.ts';
import type { Decider } from './decider.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Health } from './health.ts';
import type { Nap } from './nap.ts';

export interface IntakeParts {
  readonly dispatcher: Dispatcher;
  readonly decider: Decider | null;
  readonly health: Health;
  readonly backlog: Backlog;
  readonly nap: Nap;
}

/**
 * How many are taken at a time, as soon as so many slots are free: half of them at most, so that claims stay batches, and one is claimed
 * while another is marked and sent.
 */
function shareOf(context: Context): number {
  const { concurrency, batch } = context.settings.worker;
  return Math.max(1, Math.min(batch, Math.floor(concurrency / 2)));
}

/** Without a queue: the ledger hands out what is due. */
export async function pollLedger(context: Context, parts: IntakeParts, signal: AbortSignal): Promise<void> {
  const { pollMs } = context.settings.worker;
  const max = shareOf(context);
  let times = 0;
  while (!signal.aborted) {
    if (parts.dispatcher.free < max) {
      await parts.dispatcher.slots(max);
      continue;
    }
    try {
      const granted = await parts.dispatcher.takeDue(max, 0);
      times = 0;
      parts.backlog.seen(granted, granted === max);
      if (granted === 0) {
        parts.decider?.wake();
        await parts.nap.sleep(pollMs);
      }
    } catch (thrown) {
      times += 1;
      await parts.health.failed('ledger', thrown, { times, signal });
    }
  }
}

/** Receives in a row that came at once and brought nothing to do, after which a receive waits for the next poll. */
const FRUITLESS = 20;

/** With a queue: wakes say what is due; the ledger still decides. */
export async function receiveWakes(
  context: Context,
  queue: Queue,
  parts: IntakeParts,
  signal: AbortSignal,
): Promise<void> {
  const { waitMs } = context.settings.worker;
  const { clock } = context;
  const max = Math.min(shareOf(context), queue.capabilities.maxBatch);
  let fruitless = 0;
  let decidedBefore = 0;
  let times = 0;
  while (!signal.aborted) {
    if (parts.dispatcher.free < max) {
      await parts.dispatcher.slots(max);
      continue;
    }
    const began = clock.monotonic();
    let received: readonly ReceivedWake[];
    try {
      received = await queue.receive({ max, waitMs, signal });
    } catch (thrown) {
      times += 1;
      await parts.health.failed('queue', thrown, { times, signal });
      continue;
    }
    parts.health.worked('queue');
    parts.backlog.seen(received.length, received.length === max);
    try {
      const taken = await hand(received, parts, signal);
      times = 0;
      const decided = parts.decider?.granted ?? 0;
      const isFruitless = taken === 0 && decided === decidedBefore && clock.monotonic() - began < waitMs / 2;
      fruitless = isFruitless ? fruitless + 1 : 0;
      decidedBefore = decided;
    } catch (thrown) {
      times += 1;
      await parts.health.failed('ledger', thrown, { times, signal });
    }
    // An answer without waiting: do not spin on a queue that has nothing.
    if (received.length === 0 && waitMs === 0) await parts.nap.sleep(context.settings.worker.pollMs);
    // Nor on one that does not wait although it was told to, or that brings the same wakes again and again.
    else if (fruitless >= FRUITLESS) await clock.sleep(context.settings.worker.pollMs, signal);
  }
}

/** How many deliveries were granted. */
async function hand(
  received: readonly ReceivedWake[],
  { dispatcher, decider }: IntakeParts,
  signal: AbortSignal,
): Promise<number> {
  if (received.length === 0) return 0;
  const notifications = received.filter((wake) => kindOf(wake.id) === 'notification');
  decider?.offer(notifications);
  const deliveries = notifications.length === 0 ? received : received.filter((wake) => kindOf(wake.id) === 'delivery');
  let granted = 0;
  for (let left = deliveries; left.length > 0;) {
    // What was free when they were asked for may be taken by now: by content that came at last, or by what no wake was about.
    while (dispatcher.free === 0 && !signal.aborted) await dispatcher.slots(1);
    const fitting = left.slice(0, signal.aborted ? left.length : dispatcher.free);
    granted += await dispatcher.takeWakes(fitting);
    left = left.slice(fitting.length);
  }
  return granted;
}
