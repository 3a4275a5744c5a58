import type { DeliveryRecord } from '../model/delivery.ts';
import { afterFailureMs } from '../policy/retry.ts';
import { unknownConfigDelayMs, type Context } from '../stages/context.ts';
import type { Granted, NotPrepared } from '../stages/deliver.ts';
import { emitMove } from '../stages/events.ts';
import type { Health } from './health.ts';

/** Where unmarked work goes back to. */
export function waitingState({ attempts }: DeliveryRecord): 'queued' | 'retry-scheduled' {
  return attempts.length === 0 ? 'queued' : 'retry-scheduled';
}

/** Stopping: unmarked leases are released, so that nobody has to wait for them to lapse. One that cannot be released lapses by itself. */
export async function releaseAll({ ledger }: Context, health: Health, granted: readonly Granted[]): Promise<void> {
  const requests = granted.map(({ record, fence }) => ({ id: record.id, fence, delayMs: 0, failure: null }));
  try {
    await ledger.release(requests);
  } catch (thrown) {
    // The lease lapses by itself.
    health.noted('ledger', thrown);
  }
}

/**
 * Releases what could not be prepared: later, with its failure, where its content threw; for a while where this worker's config lacks
 * its type or provider. Returns the ids about which the ledger said what becomes of them: only their wakes are done (rule 5).
 */
export async function releaseRefused(
  context: Context,
  health: Health,
  refused: readonly NotPrepared[],
): Promise<readonly string[]> {
  const requests = refused.map(({ granted: { record, fence }, failure, reason }) => {
    const delayMs = failure === null ? unknownConfigDelayMs(context) : afterFailureMs(record.failures);
    return { id: record.id, fence, delayMs, failure, reason };
  });
  try {
    const verdicts = await context.ledger.release(requests);
    verdicts.forEach((verdict, at) => {
      const item = refused[at];
      if (item === undefined) return;
      const { record } = item.granted;
      if (verdict.kind === 'settled') emitMove(context, record, verdict.state as 'failed', item.reason);
      // What waits on for the reason that it waited for is no news.
      else if (verdict.kind === 'ok' && !(item.failure === null && record.reason === item.reason))
        emitMove(context, record, waitingState(record), item.reason);
    });
    return requests.filter((_, at) => verdicts[at]?.kind !== 'fenced').map(({ id }) => id);
  } catch (thrown) {
    // The lease lapses by itself and the delivery is claimed again.
    health.noted('ledger', thrown);
    return [];
  }
}
