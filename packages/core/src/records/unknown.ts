import type { DeliveryRecord } from '../model/delivery.ts';
import { reconcile as reconcileStep } from '../model/steps/reconcile.ts';
import { lapse } from '../model/steps/sweep.ts';
import type { Ledger, ReconcileRequest, ReconcileVerdict, SweepRequest, SweepResult } from '../ports/ledger.ts';
import { watchAt } from './due-at.ts';
import { guarded } from './guarded.ts';
import { enter } from './reckoning.ts';
import type { Records, RecordStore } from './store.ts';

export function unknown(store: RecordStore): Pick<Ledger, 'sweep' | 'reconcile'> {
  return {
    sweep: (request) =>
      store.transact((records) => {
        const now = enter(records);
        records.compactDue();
        return sweep(records, request, now);
      }),
    reconcile: (batch) =>
      store.transact(
        (records) => {
          const now = enter(records);
          return batch.map((request) => reconcile(records, request, now));
        },
        { ids: batch.map(({ id }) => id) },
      ),
  };
}

function sweep(records: Records, { max, reconcileLeaseMs }: SweepRequest, now: number): SweepResult {
  const { deliveries, epochs } = records;
  const moved: DeliveryRecord[] = [];
  const handedOut: DeliveryRecord[] = [];
  if (max > 0 && epochs.quarantineMs(now) === 0)
    for (const next of deliveries.watch.due(now, max)) {
      const record = deliveries.at(next.item);
      if (record === undefined) continue;
      if (record.state === 'dispatching') {
        const lapsed = guarded(records, () => lapse(record, now)) ?? record;
        const after = deliveries.update(next.item, record, lapsed, 'sweep');
        moved.push(after);
        // Due at the very moment at which its window ended: to the index nothing changed, but its entry has just been taken.
        if (after.state !== record.state && watchAt(after) === next.at) deliveries.watch.leave([next]);
      } else {
        // Never in the same sweep again. The later time brings it back here if the reconciler dies; a decision in time overwrites it.
        const kept = { ...record, dueAt: now + Math.max(1, reconcileLeaseMs) };
        handedOut.push(deliveries.update(next.item, record, kept, 'sweep'));
      }
      if (moved.length === max || handedOut.length === max) break;
    }
  return {
    nowMs: now,
    epochChangedAt: epochs.changedAt,
    moved,
    ended: records.notifications.takeEnded(max),
    unknown: handedOut,
  };
}

function reconcile(records: Records, request: ReconcileRequest, now: number): ReconcileVerdict {
  const { id } = request;
  const ref = records.deliveries.refOf(id);
  const record = records.deliveries.at(ref);
  if (record === undefined) return { kind: 'fenced', id, state: null };
  if (records.epochs.quarantineMs(now) > 0) return { kind: 'fenced', id, state: record.state };
  const step = guarded(records, () => reconcileStep(record, request, now));
  if (step === null) return { kind: 'fenced', id, state: record.state };
  const standing = records.deliveries.update(ref, record, step.record, 'reconcile');
  return { ...step.verdict, state: standing.state };
}
