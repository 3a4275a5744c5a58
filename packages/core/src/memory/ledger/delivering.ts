import { isSettled, type DeliveryRecord } from '../../model/delivery.ts';
import { kindOf } from '../../model/keys.ts';
import { claim as claimStep, release as releaseStep, renew as renewStep } from '../../model/steps/claim.ts';
import { mark as markStep } from '../../model/steps/mark.ts';
import { releaseNotification } from '../../model/steps/notification.ts';
import { settle as settleStep } from '../../model/steps/settle.ts';
import type {
  ClaimSelector,
  DeliveryVerdict,
  Held,
  HoldVerdict,
  Ledger,
  Lease,
  MarkRequest,
  MarkVerdict,
  ReleaseRequest,
  SettleRequest,
  SettleVerdict,
} from '../../ports/ledger.ts';
import { dueClaims } from './due-claims.ts';
import { isRepeat, suspectRoom } from './suspects.ts';
import { claimAbsent } from './fan-out.ts';
import { enter } from './reckoning.ts';
import { workAt, type LedgerState } from './state.ts';

const FENCED: HoldVerdict = { kind: 'fenced' };
/** Generations that reached a provider for certain. */
const REACHED: ReadonlySet<string> = new Set(['sent', 'delivered', 'bounced', 'undeliverable']);

export function delivering(state: LedgerState): Pick<Ledger, 'claim' | 'renew' | 'release' | 'mark' | 'settle'> {
  const earlier = dueClaims<number>(state.now);

  function claimDue(selector: Extract<ClaimSelector, { due: number }>, lease: Lease, now: number): DeliveryVerdict[] {
    const repeated = earlier.grantedTo(lease.requestId);
    if (repeated !== null) return repeated.map((slot) => claim(state, slot, lease, now)).filter(isGrant);
    const granted: number[] = [];
    const verdicts: DeliveryVerdict[] = [];
    const suspects = suspectRoom<number>(now);
    while (granted.length < selector.due && state.epochs.quarantineMs(now) === 0) {
      const next = state.work.popUntil(now - selector.lateMs);
      if (next === undefined) break;
      const record = state.deliveries.at(next.item);
      if (record === undefined || workAt(record) !== next.at) continue;
      if (!suspects.admits(record)) {
        if (suspects.leave(next)) continue;
        break;
      }
      const verdict = claim(state, next.item, lease, now, record);
      if (!isGrant(verdict)) {
        suspects.giveBack();
        // The caller tells of what its own claim ended.
        if (verdict.kind === 'settled') verdicts.push(verdict);
        const after = state.deliveries.at(next.item);
        // Still due at that moment, and not granted: its entry goes back, for a later claim.
        if (after !== undefined && workAt(after) === next.at && !suspects.leave(next)) break;
        continue;
      }
      granted.push(next.item);
      verdicts.push(verdict);
    }
    for (const { at, item } of suspects.left) state.work.push(at, item);
    earlier.remember(lease.requestId, granted, now + lease.leaseMs);
    return verdicts;
  }

  function claimIds(selector: Extract<ClaimSelector, { ids: unknown }>, lease: Lease, now: number): DeliveryVerdict[] {
    const { ids, agesMs, strayAfterMs } = selector;
    const slots = ids.map((id) => state.deliveries.slotOf(id));
    const suspects = suspectRoom<number>(
      now,
      isRepeat(
        slots.map((slot) => state.deliveries.at(slot)),
        lease.requestId,
      ),
    );
    return ids.map((id, i) => {
      const slot = slots[i] ?? -1;
      if (slot < 0) return claimAbsent(state, id, (agesMs[i] ?? 0) > strayAfterMs, now);
      const record = state.deliveries.at(slot)!;
      if (!suspects.admits(record)) return { kind: 'held', id, remainingMs: 0 };
      const verdict = claim(state, slot, lease, now, record);
      if (!isGrant(verdict)) suspects.giveBack();
      return verdict;
    });
  }

  return {
    async claim(selector, lease) {
      const now = enter(state);
      state.compactDue();
      if (!('ids' in selector)) return claimDue(selector, lease, now);
      return claimIds(selector, lease, now);
    },
    async renew(batch, leaseMs) {
      const now = enter(state);
      return batch.map((held) => (isQuiet(state, now) ? FENCED : renew(state, held, leaseMs, now)));
    },
    async release(batch) {
      const now = enter(state);
      return batch.map((request) => (isQuiet(state, now) ? FENCED : release(state, request, now)));
    },
    async mark(batch) {
      const now = enter(state);
      return batch.map((request) => mark(state, request, now));
    },
    async settle(batch) {
      enter(state);
      return batch.map((request) => settle(state, request));
    },
  };
}

function isGrant(verdict: DeliveryVerdict): boolean {
  return verdict.kind === 'granted';
}

function isQuiet(state: LedgerState, now: number): boolean {
  return state.epochs.quarantineMs(now) > 0;
}

function claim(
  state: LedgerState,
  slot: number,
  lease: Lease,
  now: number,
  record = state.deliveries.at(slot) as DeliveryRecord,
): DeliveryVerdict {
  const { id } = record;
  const remainingMs = state.epochs.quarantineMs(now);
  if (remainingMs > 0 && !isSettled(record.state)) return { kind: 'held', id, remainingMs };
  const step = state.guarded(() => claimStep(record, lease, now, state.epochs.next()));
  if (step === null) return { kind: 'held', id, remainingMs: lease.leaseMs };
  state.epochs.used(step.record.fence);
  state.update(slot, record, step.record, lease.owner);
  if (step.verdict.kind !== 'granted') return step.verdict;
  const data = record.message === null ? (state.notifications.get(record.notificationId)?.record.data ?? null) : null;
  return { kind: 'granted', id, fence: step.verdict.fence, record: step.verdict.record, data };
}

function renew(state: LedgerState, { id, fence }: Held, leaseMs: number, now: number): HoldVerdict {
  if (kindOf(id) === 'notification') {
    const entry = state.notifications.get(id);
    if (entry === undefined || entry.record.fence !== fence || entry.record.leaseUntil === null) return FENCED;
    state.notifications.update(entry, { ...entry.record, leaseUntil: now + leaseMs });
    return { kind: 'ok' };
  }
  const slot = state.deliveries.slotOf(id);
  if (slot < 0) return FENCED;
  const record = state.deliveries.at(slot)!;
  const step = renewStep(record, fence, leaseMs, now);
  state.update(slot, record, step.record, record.owner ?? 'renew');
  return step.verdict;
}

function release(state: LedgerState, request: ReleaseRequest, now: number): HoldVerdict {
  if (kindOf(request.id) === 'notification') {
    const entry = state.notifications.get(request.id);
    if (entry === undefined) return FENCED;
    const step = releaseNotification(entry.record, request, now);
    state.notifications.update(entry, step.record);
    return step.verdict;
  }
  const slot = state.deliveries.slotOf(request.id);
  if (slot < 0) return FENCED;
  const record = state.deliveries.at(slot)!;
  const step = state.guarded(() => releaseStep(record, request, now));
  if (step === null) return FENCED;
  state.update(slot, record, step.record, record.owner ?? 'release');
  return step.verdict;
}

function mark(state: LedgerState, request: MarkRequest, now: number): MarkVerdict {
  const { id } = request;
  const slot = state.deliveries.slotOf(id);
  if (slot < 0 || isQuiet(state, now)) return { kind: 'fenced', id };
  const record = state.deliveries.at(slot)!;
  const facts = {
    notificationCancelled: state.notifications.get(record.notificationId)?.record.state === 'cancelled',
    suppressed: state.gates.isSuppressed(record),
    earlierSent: record.replaces !== null && hasReached(state, record.replaces),
    blocked: state.gates.blockOn(record),
  };
  const step = state.guarded(() => markStep(record, request, facts, now));
  if (step === null) return { kind: 'fenced', id };
  state.update(slot, record, step.record, record.owner ?? 'mark');
  return step.verdict;
}

/** Rule 14: whether this generation or one before it is known to have left. */
function hasReached(state: LedgerState, id: string | null): boolean {
  for (let earlier = id; earlier !== null;) {
    const slot = state.deliveries.slotOf(earlier);
    if (slot < 0) return false;
    const record = state.deliveries.at(slot)!;
    if (REACHED.has(record.state)) return true;
    earlier = record.replaces;
  }
  return false;
}

function settle(state: LedgerState, request: SettleRequest): SettleVerdict {
  const { id, outcome, provider } = request;
  const now = state.now();
  const slot = state.deliveries.slotOf(id);
  if (slot < 0) {
    // A store that forgot the delivery keeps what proves that it left, in case the delivery is made again.
    if (outcome.kind === 'accepted') {
      const { kind, providerMessageId } = outcome;
      state.kept.keep({ deliveryId: id, provider, providerMessageId, kind, at: now, detail: null });
    }
    return { kind: 'absent', id };
  }
  const record = state.deliveries.at(slot)!;
  const step = state.guarded(() => settleStep(record, request, now));
  if (step === null) return { kind: 'evidence', id, state: record.state, duplicate: false };
  const standing = state.update(slot, record, step.record, record.owner ?? 'settle');
  return standing === step.record ? step.verdict : ({ ...step.verdict, state: standing.state } as SettleVerdict);
}
