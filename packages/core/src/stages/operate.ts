import type { DeliveryRecord, OperatorNote } from '../model/delivery.ts';
import { kindOf } from '../model/keys.ts';
import type { NotificationRecord } from '../model/notification.ts';
import type { CancelVerdict, Evidence, EvidenceVerdict } from '../ports/ledger.ts';
import type { Context } from './context.ts';
import { emitMove, tellStanding } from './events.ts';

/** Adds what is known from outside, and tells what it moved. */
export async function record(context: Context, evidence: readonly Evidence[]): Promise<readonly EvidenceVerdict[]> {
  const verdicts = await context.ledger.record(evidence);
  await tellStanding(context, verdicts.flatMap((verdict) => (verdict.kind === 'moved' ? [verdict.id] : [])));
  return verdicts;
}

/** Cancels, and tells what was not cancelled before: a repeat is silent. */
export async function cancel(context: Context, ids: readonly string[], note: OperatorNote): Promise<readonly CancelVerdict[]> {
  const before = await standing(context, ids);
  const verdicts = await context.ledger.cancel(ids.map((id) => ({ id, ...note })));
  const cancelled = new Set(ids.filter((_, at) => verdicts[at]?.kind === 'cancelled'));
  if (cancelled.size === 0 || before === null) return verdicts;
  const after = await standing(context, [...cancelled]);
  for (const each of after?.notifications.values() ?? [])
    if (each.state === 'cancelled' && before.notifications.get(each.id)?.state !== 'cancelled')
      context.emit({ kind: 'notification.moved', at: context.clock.now(), id: each.id, type: each.type, to: each.state, reason: each.reason });
  for (const each of after?.cancelled.values() ?? []) if (!before.cancelled.has(each.id)) emitMove(context, each, each.state, each.reason);
  return verdicts;
}

interface Standing {
  readonly notifications: ReadonlyMap<string, NotificationRecord>;
  /** Deliveries that are cancelled: those named, and those of the notifications named. */
  readonly cancelled: ReadonlyMap<string, DeliveryRecord>;
}

/** How things stand; null when nobody listens or the ledger cannot say, since telling must not fail a cancel. */
async function standing({ ledger, heard }: Context, ids: readonly string[]): Promise<Standing | null> {
  if (!heard) return null;
  const cancelled = new Map<string, DeliveryRecord>();
  const note = (record: DeliveryRecord | null): void => {
    if (record?.state === 'cancelled') cancelled.set(record.id, record);
  };
  try {
    const of = ids.filter((id) => kindOf(id) === 'notification');
    const notifications = of.length === 0 ? [] : await ledger.findNotifications(of);
    for (const notificationId of of) {
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof ledger.list>> = await ledger.list({ notificationId, states: ['cancelled'] }, { cursor });
        page.items.forEach(note);
        cursor = page.cursor;
      } while (cursor !== null);
    }
    const deliveries = ids.filter((id) => kindOf(id) === 'delivery');
    if (deliveries.length > 0) (await ledger.find(deliveries)).forEach(note);
    return { notifications: new Map(notifications.flatMap((each) => (each === null ? [] : [[each.id, each]]))), cancelled };
  } catch {
    return null;
  }
}
