import { isSettled, type DeliveryRecord } from '../model/delivery.ts';
import { kindOf } from '../model/keys.ts';
import { claim as claimStep, release as releaseStep, renew as renewStep } from '../model/steps/claim.ts';
import { mark as markStep } from '../model/steps/mark.ts';
import { releaseNotification, renewNotification } from '../model/steps/notification.ts';
import { settle as settleStep } from '../model/steps/settle.ts';
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
} from '../ports/ledger.ts';
import { claimAbsent } from './absent.ts';
import { workAt } from './due-at.ts';
import { guarded } from './guarded.ts';
import { enter } from './reckoning.ts';
import type { Due, Records, RecordStore, Ref } from './store.ts';
import { isRepeat, suspectRoom } from './suspects.ts';

const FENCED: HoldVerdict = { kind: 'fenced' };
/** Generations that reached a provider for certain. */
const REACHED: ReadonlySet<string> = new Set(['sent', 'delivered', 'bounced', 'undeliverable']);

type Delivering = Pick<Ledger, 'claim' | 'renew' | 'release' | 'mark' | 'settle'>;

export function delivering(store: RecordStore): Delivering {
  return {
    claim: (selector, lease) =>
      store.transact(
        (records) => {
          const now = enter(records);
          records.compactDue();
          return 'ids' in selector ? claimIds(records, selector, lease, now) : claimDue(records, selector, lease, now);
        },
        'ids' in selector ? selector : {},
      ),
    renew: (batch, leaseMs) =>
      store.transact(
        (records) => {
          const now = enter(records);
          return batch.map((held) => (isQuiet(records, now) ? FENCED : renew(records, held, leaseMs, now)));
        },
        { ...idsOf(batch), withoutMessages: true },
      ),
    release: (batch) =>
      store.transact((records) => {
        const now = enter(records);
        return batch.map((request) => (isQuiet(records, now) ? FENCED : release(records, request, now)));
      }, idsOf(batch)),
    mark: (batch) =>
      store.transact((records) => {
        const now = enter(records);
        return batch.map((request) => mark(records, request, now));
      }, idsOf(batch)),
    settle: (batch) =>
      store.transact(
        (records) => {
          const now = enter(records);
          return batch.map((request) => settle(records, request, now));
        },
        { ...idsOf(batch), withoutMessages: true },
      ),
  };
}

function idsOf(batch: readonly { readonly id: string }[]): { readonly ids: readonly string[] } {
  return { ids: batch.map(({ id }) => id) };
}

type DueSelector = Extract<ClaimSelector, { due: number }>;
type IdSelector = Extract<ClaimSelector, { ids: unknown }>;

function claimDue(records: Records, selector: DueSelector, lease: Lease, now: number): DeliveryVerdict[] {
  const earlier = records.claims.grantedTo(lease.requestId);
  if (earlier !== null) return claimAgain(records, earlier, lease, now);
  const { deliveries } = records;
  const granted: string[] = [];
  const verdicts: DeliveryVerdict[] = [];
  const suspects = suspectRoom<Ref>(now);
  if (selector.due > 0 && records.epochs.quarantineMs(now) === 0)
    for (const next of deliveries.work.due(now - selector.lateMs, selector.due)) {
      const verdict = claimNext(records, next, suspects, lease, now);
      if (verdict === 'enough') break;
      if (verdict === null) continue;
      verdicts.push(verdict);
      if (isGrant(verdict)) granted.push(verdict.id);
      if (granted.length === selector.due) break;
    }
  deliveries.work.leave(suspects.left);
  // An empty answer need not be remembered: a repeat that finds work would only be the first to do so.
  if (granted.length > 0) records.claims.remember(lease.requestId, granted, now + lease.leaseMs);
  return verdicts;
}

/** The verdict that the caller is told; null: passed over. `enough`: look no further. */
function claimNext(
  records: Records,
  next: Due<Ref>,
  suspects: ReturnType<typeof suspectRoom<Ref>>,
  lease: Lease,
  now: number,
): DeliveryVerdict | 'enough' | null {
  const record = records.deliveries.at(next.item);
  if (record === undefined) return null;
  if (!suspects.admits(record)) return suspects.leave(next) ? null : 'enough';
  const verdict = claim(records, next.item, lease, now, record);
  if (isGrant(verdict)) return verdict;
  suspects.giveBack();
  const after = records.deliveries.at(next.item);
  // Still due at that moment, and not granted: its entry goes back, for a later claim.
  const isEnough = after !== undefined && workAt(after) === next.at && !suspects.leave(next);
  // The caller tells of what its own claim ended.
  if (verdict.kind === 'settled') return verdict;
  return isEnough ? 'enough' : null;
}

/** The grants of an earlier call under this request that still stand, and nothing else. */
function claimAgain(records: Records, ids: readonly string[], lease: Lease, now: number): DeliveryVerdict[] {
  const verdicts: DeliveryVerdict[] = [];
  for (const id of ids) {
    const ref = records.deliveries.refOf(id);
    const record = records.deliveries.at(ref);
    if (record?.requestId === lease.requestId) verdicts.push(claim(records, ref, lease, now, record));
  }
  return verdicts.filter(isGrant);
}

function claimIds(records: Records, selector: IdSelector, lease: Lease, now: number): DeliveryVerdict[] {
  const { ids, agesMs, strayAfterMs } = selector;
  const { deliveries } = records;
  const refs = ids.map((id) => deliveries.refOf(id));
  const suspects = suspectRoom<Ref>(
    now,
    isRepeat(
      refs.map((ref) => deliveries.at(ref)),
      lease.requestId,
    ),
  );
  return ids.map((id, i) => {
    const ref = refs[i] ?? -1;
    const record = deliveries.at(ref);
    if (record === undefined) return claimAbsent(records, id, (agesMs[i] ?? 0) > strayAfterMs, now);
    if (!suspects.admits(record)) return { kind: 'held', id, remainingMs: 0 };
    const verdict = claim(records, ref, lease, now, record);
    if (!isGrant(verdict)) suspects.giveBack();
    return verdict;
  });
}

function isGrant(verdict: DeliveryVerdict): boolean {
  return verdict.kind === 'granted';
}

function isQuiet(records: Records, now: number): boolean {
  return records.epochs.quarantineMs(now) > 0;
}

function claim(records: Records, ref: number, lease: Lease, now: number, record: DeliveryRecord): DeliveryVerdict {
  const { id } = record;
  const remainingMs = records.epochs.quarantineMs(now);
  if (remainingMs > 0 && !isSettled(record.state)) return { kind: 'held', id, remainingMs };
  const step = guarded(records, () => claimStep(record, lease, now, records.epochs.next()));
  if (step === null) return { kind: 'held', id, remainingMs: lease.leaseMs };
  records.epochs.used(step.record.fence);
  records.deliveries.update(ref, record, step.record, lease.owner);
  if (step.verdict.kind !== 'granted') return step.verdict;
  const data = record.message === null ? (records.notifications.get(record.notificationId)?.record.data ?? null) : null;
  return { kind: 'granted', id, fence: step.verdict.fence, record: step.verdict.record, data };
}

function renew(records: Records, { id, fence }: Held, leaseMs: number, now: number): HoldVerdict {
  if (kindOf(id) === 'notification') {
    const entry = records.notifications.get(id);
    if (entry === undefined) return FENCED;
    const step = renewNotification(entry.record, fence, leaseMs, now);
    records.notifications.update(entry, step.record);
    return step.verdict;
  }
  const ref = records.deliveries.refOf(id);
  const record = records.deliveries.at(ref);
  if (record === undefined) return FENCED;
  const step = renewStep(record, fence, leaseMs, now);
  records.deliveries.update(ref, record, step.record, record.owner ?? 'renew');
  return step.verdict;
}

function release(records: Records, request: ReleaseRequest, now: number): HoldVerdict {
  if (kindOf(request.id) === 'notification') {
    const entry = records.notifications.get(request.id);
    if (entry === undefined) return FENCED;
    const step = releaseNotification(entry.record, request, now);
    records.notifications.update(entry, step.record);
    return step.verdict;
  }
  const ref = records.deliveries.refOf(request.id);
  const record = records.deliveries.at(ref);
  if (record === undefined) return FENCED;
  const step = guarded(records, () => releaseStep(record, request, now));
  if (step === null) return FENCED;
  records.deliveries.update(ref, record, step.record, record.owner ?? 'release');
  return step.verdict;
}

function mark(records: Records, request: MarkRequest, now: number): MarkVerdict {
  const { id } = request;
  const ref = records.deliveries.refOf(id);
  const record = records.deliveries.at(ref);
  if (record === undefined || isQuiet(records, now)) return { kind: 'fenced', id };
  const facts = {
    notificationCancelled: records.notifications.get(record.notificationId)?.record.state === 'cancelled',
    suppressed: records.gates.isSuppressed(record),
    earlierSent: record.replaces !== null && hasReached(records, record.replaces),
    blocked: records.gates.blockOn(record),
  };
  const step = guarded(records, () => markStep(record, request, facts, now));
  if (step === null) return { kind: 'fenced', id };
  records.deliveries.update(ref, record, step.record, record.owner ?? 'mark');
  return step.verdict;
}

/** Rule 14: whether this generation or one before it is known to have left. */
function hasReached(records: Records, id: string | null): boolean {
  for (let earlier = id; earlier !== null;) {
    const record = records.deliveries.at(records.deliveries.refOf(earlier));
    if (record === undefined) return false;
    if (REACHED.has(record.state)) return true;
    earlier = record.replaces;
  }
  return false;
}

function settle(records: Records, request: SettleRequest, now: number): SettleVerdict {
  const { id, outcome, provider } = request;
  const ref = records.deliveries.refOf(id);
  const record = records.deliveries.at(ref);
  if (record === undefined) {
    // A store that forgot the delivery keeps what proves that it left, in case the delivery is made again.
    if (outcome.kind === 'accepted') {
      const { kind, providerMessageId } = outcome;
      records.keepEvidence({ deliveryId: id, provider, providerMessageId, kind, at: now, detail: null });
    }
    return { kind: 'absent', id };
  }
  const step = guarded(records, () => settleStep(record, request, now));
  if (step === null) return { kind: 'evidence', id, state: record.state, duplicate: false };
  const standing = records.deliveries.update(ref, record, step.record, record.owner ?? 'settle');
  return standing === step.record ? step.verdict : ({ ...step.verdict, state: standing.state } as SettleVerdict);
}
