import type { DeliveryRecord, OperatorNote } from '../model/delivery.ts';
import { kindOf } from '../model/keys.ts';
import type { CancelVerdict, Evidence, EvidenceVerdict, Page } from '../ports/ledger.ts';
import type { Context } from './context.ts';
import { emitMove, tellStanding } from './events.ts';

/** Adds what is known from outside, and tells what it moved. */
export async function record(context: Context, evidence: readonly Evidence[]): Promise<readonly EvidenceVerdict[]> {
  const verdicts = await context.ledger.record(evidence);
  await tellStanding(
    context,
    verdicts.flatMap((verdict) => (verdict.kind === 'moved' ? [verdict.id] : [])),
  );
  return verdicts;
}

/** Ids kept to know a repeated cancel by. */
const REMEMBERED = 10_000;

export type Cancel = (ids: readonly string[], note: OperatorNote) => Promise<readonly CancelVerdict[]>;

/**
 * Cancels at once, and then tells what is cancelled. A repeat from the same process is silent: how things stood before is not asked,
 * since every millisecond before a cancel lets messages out.
 */
export function cancelling(context: Context): Cancel {
  const told = new Set<string>();
  return async (ids, note) => {
    const verdicts = await context.ledger.cancel(ids.map((id) => ({ id, ...note })));
    const fresh = ids.filter((id, at) => verdicts[at]?.kind === 'cancelled' && !told.has(id));
    if (fresh.length === 0 || !context.heard) return verdicts;
    try {
      await tellCancelled(context, fresh, told);
    } catch {
      // Telling must not fail a cancel that was made.
    }
    if (told.size >= REMEMBERED) told.clear();
    for (const id of fresh) told.add(id);
    return verdicts;
  };
}

async function tellCancelled(context: Context, ids: readonly string[], told: ReadonlySet<string>): Promise<void> {
  const { ledger, clock, emit } = context;
  const of = ids.filter((id) => kindOf(id) === 'notification');
  for (const each of of.length === 0 ? [] : await ledger.findNotifications(of))
    if (each !== null)
      emit({
        kind: 'notification.moved',
        at: clock.now(),
        id: each.id,
        type: each.type,
        to: each.state,
        reason: each.reason,
      });
  for (const notificationId of of) {
    let cursor: string | null = null;
    do {
      const page: Page<DeliveryRecord> = await ledger.list({ notificationId, states: ['cancelled'] }, { cursor });
      for (const record of page.items) if (!told.has(record.id)) emitMove(context, record, 'cancelled', record.reason);
      cursor = page.cursor;
    } while (cursor !== null);
  }
  await tellStanding(
    context,
    ids.filter((id) => kindOf(id) === 'delivery'),
  );
}
