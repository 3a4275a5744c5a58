import { isOpen } from '../../model/attempts.ts';
import { isSettled, type DeliveryRecord } from '../../model/delivery.ts';
import { kindOf } from '../../model/keys.ts';
import { isNotificationOver } from '../../model/notification.ts';
import { cancel as cancelStep, type CancelOutcome } from '../../model/steps/cancel.ts';
import { witness } from '../../model/steps/evidence.ts';
import { replay as replayStep } from '../../model/steps/replay.ts';
import { presume } from '../../model/steps/sweep.ts';
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
} from '../../ports/ledger.ts';
import { messageKey } from './kept-evidence.ts';
import { enter } from './reckoning.ts';
import type { LedgerState } from './state.ts';

export function operators(state: LedgerState): Pick<Ledger, 'record' | 'cancel' | 'suppress' | 'block' | 'replay'> {
  return {
    async record(batch) {
      const now = enter(state);
      return batch.map((evidence) => record(state, evidence, now));
    },
    async cancel(batch) {
      const now = enter(state);
      return batch.map((request) => cancel(state, request, now));
    },
    async suppress(batch) {
      enter(state);
      return batch.map((request) => suppress(state, request));
    },
    async block(batch) {
      for (const request of batch) state.gates.block(request);
    },
    async replay(batch) {
      const now = enter(state);
      return batch.map((request) => replay(state, request, now));
    },
  };
}

function record(state: LedgerState, evidence: Evidence, now: number): EvidenceVerdict {
  const { deliveryId, provider, providerMessageId } = evidence;
  const named = deliveryId === null ? -1 : state.deliveries.slotOf(deliveryId);
  const slot =
    named >= 0 || providerMessageId === null ? named : state.messages.find(messageKey(provider, providerMessageId));
  if (slot < 0) {
    state.kept.keep(evidence);
    return { kind: 'kept' };
  }
  const before = state.deliveries.at(slot)!;
  const step = state.guarded(() => witness(before, evidence, now));
  if (step === null) return { kind: 'noted', id: before.id, state: before.state };
  state.update(slot, before, step.record, 'evidence');
  return step.verdict;
}

function cancel(state: LedgerState, request: CancelRequest, now: number): CancelVerdict {
  const reason = `cancelled by ${request.by}: ${request.why}`;
  if (kindOf(request.id) === 'notification') return cancelNotification(state, request.id, now, reason);
  const slot = state.deliveries.slotOf(request.id);
  if (slot < 0) return { kind: 'absent' };
  if (cancelDelivery(state, slot, now, reason) === 'cancelled') return { kind: 'cancelled', tooLate: [] };
  return { kind: 'too-late', state: state.deliveries.at(slot)!.state };
}

function cancelNotification(state: LedgerState, id: string, now: number, reason: string): CancelVerdict {
  const { notifications, deliveries } = state;
  const entry = notifications.get(id);
  if (entry === undefined) return { kind: 'absent' };
  if (isNotificationOver(entry.record.state) && entry.record.state !== 'cancelled')
    return { kind: 'too-late', state: entry.record.state };
  if (entry.record.state !== 'cancelled') {
    const free = { leaseUntil: null, owner: null, requestId: null };
    notifications.update(entry, { ...entry.record, ...free, state: 'cancelled', reason });
  }
  const tooLate: string[] = [];
  for (const slot of entry.slots)
    if (deliveries.stateAt(slot) !== undefined && cancelDelivery(state, slot, now, reason) === 'too-late')
      tooLate.push(deliveries.at(slot)!.id);
  return { kind: 'cancelled', tooLate };
}

function cancelDelivery(state: LedgerState, slot: number, now: number, reason: string): CancelOutcome {
  const before = state.deliveries.at(slot)!;
  // Until the quarantine ends nobody knows whether it was marked before the store lost its memory.
  const known = state.epochs.quarantineMs(now) > 0 ? presume(before, now) : before;
  const step = state.guarded(() => cancelStep(known, now, reason));
  if (step === null) return 'too-late';
  state.update(slot, before, step.record, 'cancel');
  return step.outcome;
}

/** What is not marked yet meets the opt-out at its mark; what may be out already is answered here. */
function suppress(state: LedgerState, request: SuppressRequest): SuppressVerdict {
  state.gates.suppress(request);
  const tooLate: string[] = [];
  if (!request.suppressed) return { tooLate };
  const { deliveries, gates } = state;
  for (let slot = 0; slot < deliveries.size; slot += 1) {
    const stored = deliveries.stateAt(slot);
    if (stored === undefined || stored === 'queued' || (isSettled(stored) && stored !== 'parked')) continue;
    const delivery = deliveries.at(slot)!;
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

function replay(state: LedgerState, request: ReplayRequest, now: number): ReplayVerdict {
  const slot = state.deliveries.slotOf(request.id);
  if (slot < 0) return { kind: 'absent' };
  const old = state.deliveries.at(slot)!;
  const facts = {
    suppressed: state.gates.isSuppressed(old),
    notificationCancelled: state.notifications.get(old.notificationId)?.record.state === 'cancelled',
  };
  const outcome = replayStep(old, request, facts, now);
  if (outcome.kind !== 'replayed') return outcome;
  const { next, possibleDuplicate } = outcome;
  state.update(slot, old, outcome.old, 'replay');
  state.insert(next, 'replay');
  return { kind: 'replayed', id: next.id, possibleDuplicate };
}
