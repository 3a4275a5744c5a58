import { isOpen } from '../model/attempts.ts';
import { isSettled, type DeliveryRecord, type DeliveryState } from '../model/delivery.ts';
import { kindOf } from '../model/keys.ts';
import { isNotificationOver } from '../model/notification.ts';
import { cancel as cancelStep, type CancelOutcome } from '../model/steps/cancel.ts';
import { witness } from '../model/steps/evidence.ts';
import { replay as replayStep } from '../model/steps/replay.ts';
import { presume } from '../model/steps/sweep.ts';
import type {
  CancelRequest,
  CancelVerdict,
  Evidence,
  EvidenceVerdict,
  Ledger,
  ReplayRequest,
  ReplayVerdict,
  SuppressRequest,
  SuppressVerdict,
} from '../ports/ledger.ts';
import { guarded } from './guarded.ts';
import { enter } from './reckoning.ts';
import type { Records, RecordStore, Ref } from './store.ts';

type Operators = Pick<Ledger, 'record' | 'cancel' | 'suppress' | 'block' | 'replay'>;

export function operators(store: RecordStore): Operators {
  return {
    record: (batch) =>
      store.transact((records) => {
        const now = enter(records);
        return batch.map((evidence) => record(records, evidence, now));
      }),
    cancel: (batch) =>
      store.transact((records) => {
        const now = enter(records);
        return batch.map((request) => cancel(records, request, now));
      }),
    suppress: (batch) =>
      store.transact((records) => {
        enter(records);
        return batch.map((request) => suppress(records, request));
      }),
    block: (batch) =>
      store.transact((records) => {
        for (const request of batch) records.gates.block(request);
      }),
    replay: (batch) =>
      store.transact((records) => {
        const now = enter(records);
        return batch.map((request) => replay(records, request, now));
      }),
  };
}

function record(records: Records, evidence: Evidence, now: number): EvidenceVerdict {
  const { deliveryId, provider, providerMessageId } = evidence;
  const named = deliveryId === null ? -1 : records.deliveries.refOf(deliveryId);
  const ref =
    named >= 0 || providerMessageId === null ? named : records.deliveries.withMessage(provider, providerMessageId);
  const before = records.deliveries.at(ref);
  if (before === undefined) {
    records.keepEvidence(evidence);
    return { kind: 'kept' };
  }
  const step = guarded(records, () => witness(before, evidence, now));
  if (step === null) return { kind: 'noted', id: before.id, state: before.state };
  records.deliveries.update(ref, before, step.record, 'evidence');
  return step.verdict;
}

function cancel(records: Records, request: CancelRequest, now: number): CancelVerdict {
  const reason = `cancelled by ${request.by}: ${request.why}`;
  if (kindOf(request.id) === 'notification') return cancelNotification(records, request.id, now, reason);
  const ref = records.deliveries.refOf(request.id);
  const delivery = records.deliveries.at(ref);
  if (delivery === undefined) return { kind: 'absent' };
  const { outcome, state } = cancelDelivery(records, ref, delivery, now, reason);
  return outcome === 'cancelled' ? { kind: 'cancelled', tooLate: [] } : { kind: 'too-late', state };
}

function cancelNotification(records: Records, id: string, now: number, reason: string): CancelVerdict {
  const { notifications, deliveries } = records;
  const entry = notifications.get(id);
  if (entry === undefined) return { kind: 'absent' };
  if (isNotificationOver(entry.record.state) && entry.record.state !== 'cancelled')
    return { kind: 'too-late', state: entry.record.state };
  if (entry.record.state !== 'cancelled') {
    const free = { leaseUntil: null, owner: null, requestId: null };
    notifications.update(entry, { ...entry.record, ...free, state: 'cancelled', reason });
  }
  const tooLate: string[] = [];
  for (const ref of notifications.deliveriesOf(entry)) {
    const delivery = deliveries.at(ref);
    if (delivery === undefined) continue;
    if (cancelDelivery(records, ref, delivery, now, reason).outcome === 'too-late') tooLate.push(delivery.id);
  }
  return { kind: 'cancelled', tooLate };
}

function cancelDelivery(
  records: Records,
  ref: Ref,
  before: DeliveryRecord,
  now: number,
  reason: string,
): { readonly outcome: CancelOutcome; readonly state: DeliveryState } {
  // Until the quarantine ends nobody knows whether it was marked before the store lost its memory.
  const known = records.epochs.quarantineMs(now) > 0 ? presume(before, now) : before;
  const step = guarded(records, () => cancelStep(known, now, reason));
  if (step === null) return { outcome: 'too-late', state: before.state };
  const { state } = records.deliveries.update(ref, before, step.record, 'cancel');
  return { outcome: step.outcome, state };
}

/** What is not marked yet meets the opt-out at its mark; what may be out already is answered here. */
function suppress(records: Records, request: SuppressRequest): SuppressVerdict {
  records.gates.suppress(request);
  const tooLate: string[] = [];
  if (!request.suppressed) return { tooLate };
  const { deliveries, gates } = records;
  for (const ref of deliveries.maybeOut(request)) {
    const delivery = deliveries.at(ref);
    if (delivery === undefined || (isSettled(delivery.state) && delivery.state !== 'parked')) continue;
    if (isAbout(request, delivery) && gates.isSuppressed(delivery) && delivery.attempts.some(isOpen))
      tooLate.push(delivery.id);
  }
  return { tooLate };
}

function isAbout(request: SuppressRequest, { tenant, topic, target }: DeliveryRecord): boolean {
  if (tenant !== request.tenant || target.recipientId !== request.recipientId) return false;
  if (request.channel !== '*' && request.channel !== target.channel) return false;
  return request.topic === '*' || request.topic === topic;
}

function replay(records: Records, request: ReplayRequest, now: number): ReplayVerdict {
  const ref = records.deliveries.refOf(request.id);
  const old = records.deliveries.at(ref);
  if (old === undefined) return { kind: 'absent' };
  const facts = {
    suppressed: records.gates.isSuppressed(old),
    notificationCancelled: records.notifications.get(old.notificationId)?.record.state === 'cancelled',
  };
  const outcome = replayStep(old, request, facts, now);
  if (outcome.kind !== 'replayed') return outcome;
  const { next, possibleDuplicate } = outcome;
  records.deliveries.update(ref, old, outcome.old, 'replay');
  records.deliveries.insert(next, 'replay');
  return { kind: 'replayed', id: next.id, possibleDuplicate };
}
