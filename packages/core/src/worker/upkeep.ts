import type { Alerting } from '../alerts.ts';
import type { DeadLetterRetry } from '../config.ts';
import type { Context } from '../stages/context.ts';
import { emitMove } from '../stages/events.ts';
import { reconcile } from '../stages/reconcile.ts';
import { redrive } from '../stages/replay.ts';
import type { Backlog } from './backlog.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Health } from './health.ts';
import type { Reports } from './reports.ts';

/** Records per sweep; what is left waits for the next. */
const SWEEP_BATCH = 500;
/** While wakes still come, a delivery must be this many times later before the sweeper takes it itself. */
export const PATIENCE = 12;

export interface UpkeepParts {
  readonly dispatcher: Dispatcher | null;
  readonly health: Health;
  readonly backlog: Backlog;
  readonly worker: string;
  readonly deadLetterRetry: DeadLetterRetry | null;
  readonly alerting: Alerting;
  readonly reports: Reports | null;
}

/** PROTOCOL rule 15: in every worker, or a wiped queue loses work. */
export async function upkeep(context: Context, parts: UpkeepParts, signal: AbortSignal): Promise<void> {
  const { sweepMs } = context.settings.worker;
  let redriveAt = 0;
  let redriveFrom: string | null = null;
  let times = 0;
  while (!signal.aborted) {
    // Spread, so that workers started together do not sweep together.
    await context.clock.sleep(Math.ceil(sweepMs * (0.75 + context.random.next() / 2)), signal);
    if (signal.aborted) return;
    // Beside the rest: whoever is told may be slow, and everybody waits for the sweeper.
    parts.alerting.flushSoon();
    parts.reports?.flushSoon();
    parts.health.fade();
    try {
      await sweep(context, signal);
      await claimLate(context, parts);
      const retry = parts.deadLetterRetry;
      if (retry !== null && context.clock.monotonic() >= redriveAt) {
        redriveFrom = await redrive(context, retry, redriveFrom);
        // Page after page at the pace of the sweep; a fresh start can wait.
        if (redriveFrom === null) redriveAt = context.clock.monotonic() + Math.max(sweepMs, retry.afterMs / 4);
      }
      times = 0;
      parts.health.worked('ledger');
    } catch (thrown) {
      times += 1;
      await parts.health.failed('ledger', thrown, { times, signal });
    }
    try {
      // By itself: what keeps the sweeper from its work is what this is there to tell.
      await sayNoProgress(context, parts);
    } catch (thrown) {
      parts.health.noted('ledger', thrown);
    }
  }
}

async function sweep(context: Context, signal: AbortSignal): Promise<void> {
  const { dispatchMs } = context.settings.worker;
  const swept = await context.ledger.sweep({ max: SWEEP_BATCH, reconcileLeaseMs: dispatchMs });
  for (const record of swept.moved) emitMove(context, record, record.state, record.reason);
  for (const { id, type, state, reason } of swept.ended)
    context.emit({ kind: 'notification.moved', at: context.clock.now(), id, type, to: state, reason });
  await reconcile(context, swept, signal);
}

/** Due but no wake for too long: the queue lost it, so the ledger is asked. */
async function claimLate(context: Context, { dispatcher, backlog }: UpkeepParts): Promise<void> {
  if (context.queue === null || dispatcher === null) return;
  const { lateMs, batch } = context.settings.worker;
  const max = Math.min(dispatcher.free, batch);
  if (max > 0) await dispatcher.takeDue(max, backlog.hasRoom ? lateMs : lateMs * PATIENCE);
}

async function sayNoProgress(context: Context, { dispatcher, health, worker }: UpkeepParts): Promise<void> {
  const { noProgressMs } = context.settings.worker;
  const sinceMs = context.clock.monotonic() - health.lastProgressAt;
  if (sinceMs < noProgressMs || health.degraded) return;
  const { oldestDueMs, deliveries } = await context.ledger.count();
  // What this worker holds is due as well, and nobody else can take it.
  const heldMs = dispatcher?.heldMs ?? 0;
  const isStuck = Math.max(oldestDueMs, heldMs) >= noProgressMs;
  if (isStuck === health.saidNoProgress) return;
  // What was due then may have been done by others since.
  if (!isStuck) return void (health.saidNoProgress = false);
  health.saidNoProgress = true;
  const waiting = deliveries.queued + deliveries['retry-scheduled'] + (dispatcher?.held ?? 0);
  context.emit({ kind: 'worker.no-progress', at: context.clock.now(), worker, waiting, sinceMs });
}
