import type { DeliveryRecord, DeliveryState } from '../model/delivery.ts';
import type { Context } from './context.ts';

/** Tells telemetry about a delivery's move; its record may be as it was before. */
export function emitMove(context: Context, record: DeliveryRecord, to: DeliveryState, reason: string | null, assumed = false): void {
  const { id, type, target, provider } = record;
  context.emit({ kind: 'delivery.moved', at: context.clock.now(), id, type, class: record.class, channel: target.channel, to, provider, reason, assumed });
}
