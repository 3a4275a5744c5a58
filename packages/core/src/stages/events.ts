import type { DeliveryRecord, DeliveryState } from '../model/delivery.ts';
import type { Context } from './context.ts';

/** Tells telemetry about a delivery's move; its record may be as it was before. */
export function emitMove(
  context: Context,
  record: DeliveryRecord,
  to: DeliveryState,
  reason: string | null,
  assumed = false,
): void {
  const { id, type, target, provider } = record;
  context.emit({
    kind: 'delivery.moved',
    at: context.clock.now(),
    id,
    type,
    class: record.class,
    channel: target.channel,
    to,
    provider,
    reason,
    assumed,
  });
}

/** The records of these, for telling about them; none when nobody listens or the ledger cannot be read: telling must not fail a call that was made. */
export async function recordsToTell(
  { ledger, heard }: Context,
  ids: readonly string[],
): Promise<readonly DeliveryRecord[]> {
  if (!heard || ids.length === 0) return [];
  try {
    const found = await ledger.find([...new Set(ids)]);
    return found.filter((record) => record !== null);
  } catch {
    return [];
  }
}

/** Tells that these are in the state in which they are now. */
export async function tellStanding(context: Context, ids: readonly string[]): Promise<void> {
  for (const record of await recordsToTell(context, ids))
    emitMove(context, record, record.state, record.reason, record.assumed);
}
