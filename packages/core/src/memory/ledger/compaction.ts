import { isDeadLetter, isSettled, type DeliveryRecord } from '../../model/delivery.ts';
import type { DeliveryStore } from './delivery-store.ts';

export interface Compaction {
  /** A delivery is settled now: its content goes after `afterMs`. */
  settled(slot: number, record: DeliveryRecord): void;
  /** Compacts those whose time has come. */
  readonly due: () => void;
}

interface Waiting {
  readonly at: number;
  readonly slot: number;
}

/** Settled deliveries give up their content; dead letters keep it until they are replaced, because a replay needs it. */
export function compaction(deliveries: DeliveryStore, afterMs: number, now: () => number): Compaction {
  let waiting: Waiting[] = [];
  let from = 0;

  function compact(slot: number, record: DeliveryRecord): void {
    if (!isSettled(record.state) || (isDeadLetter(record.state) && record.replacedBy === null)) return;
    deliveries.chill(slot, { ...record, message: null, target: { ...record.target, data: {} } });
  }

  return {
    settled(slot, record) {
      if (afterMs <= 0) compact(slot, record);
      else waiting.push({ at: now() + afterMs, slot });
    },
    due() {
      const until = now();
      for (let next = waiting[from]; next !== undefined && next.at <= until; next = waiting[from]) {
        from += 1;
        const record = deliveries.at(next.slot);
        if (record !== undefined) compact(next.slot, record);
      }
      if (from < 4_096 || from * 2 < waiting.length) return;
      waiting = waiting.slice(from);
      from = 0;
    },
  };
}
