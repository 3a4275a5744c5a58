import type { DeliveryRecord } from '../../model/delivery.ts';
import { reconcile as reconcileStep } from '../../model/steps/reconcile.ts';
import { lapse } from '../../model/steps/sweep.ts';
import type { Ledger, ReconcileRequest, ReconcileVerdict, SweepRequest, SweepResult } from '../../ports/ledger.ts';
import { enter } from './reckoning.ts';
import { watchAt, type LedgerState } from './state.ts';

export function unknown(state: LedgerState): Pick<Ledger, 'sweep' | 'reconcile'> {
  return {
    async sweep(request) {
      const now = enter(state);
      state.compactDue();
      return sweep(state, request, now);
    },
    async reconcile(batch) {
      const now = enter(state);
      return batch.map((request) => reconcile(state, request, now));
    },
  };
}

function sweep(state: LedgerState, { max, reconcileLeaseMs }: SweepRequest, now: number): SweepResult {
  const moved: DeliveryRecord[] = [];
  const handedOut: DeliveryRecord[] = [];
  while (moved.length < max && handedOut.length < max && state.epochs.quarantineMs(now) === 0) {
    const next = state.watch.popUntil(now);
    if (next === undefined) break;
    const record = state.deliveries.at(next.item);
    if (record === undefined || watchAt(record) !== next.at) continue;
    if (record.state === 'dispatching') {
      const lapsed = state.guarded(() => lapse(record, now)) ?? record;
      const after = state.update(next.item, record, lapsed, 'sweep');
      moved.push(after);
      // Due at the very moment at which its window ended: to the index nothing changed, but its entry has just been taken.
      if (after.state !== record.state && watchAt(after) === next.at) state.watch.push(next.at, next.item);
    } else {
      // Never in the same sweep again. The later time brings it back here if the reconciler dies; a decision in time overwrites it.
      const kept = { ...record, dueAt: now + Math.max(1, reconcileLeaseMs) };
      handedOut.push(state.update(next.item, record, kept, 'sweep'));
    }
  }
  return {
    nowMs: now,
    epochChangedAt: state.epochs.changedAt,
    moved,
    ended: state.notifications.takeEnded(max),
    unknown: handedOut,
  };
}

function reconcile(state: LedgerState, request: ReconcileRequest, now: number): ReconcileVerdict {
  const { id } = request;
  const slot = state.deliveries.slotOf(id);
  if (slot < 0) return { kind: 'fenced', id, state: null };
  const record = state.deliveries.at(slot)!;
  if (state.epochs.quarantineMs(now) > 0) return { kind: 'fenced', id, state: record.state };
  const step = state.guarded(() => reconcileStep(record, request, now));
  if (step === null) return { kind: 'fenced', id, state: record.state };
  const standing = state.update(slot, record, step.record, 'reconcile');
  return { ...step.verdict, state: standing.state };
}
