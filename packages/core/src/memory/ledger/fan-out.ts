import { isNotificationOver, type NotificationRecord } from '../../model/notification.ts';
import type { Target } from '../../model/recipient.ts';
import { afterPage, claimNotification, newDelivery } from '../../model/steps/notification.ts';
import { presume } from '../../model/steps/sweep.ts';
import type {
  AddRequest,
  AddVerdict,
  ClaimSelector,
  Ledger,
  Lease,
  NewDelivery,
  NotificationVerdict,
} from '../../ports/ledger.ts';
import { dueClaims } from './due-claims.ts';
import { isRepeat, suspectRoom } from './suspects.ts';
import type { NotificationEntry } from './notification-store.ts';
import { enter } from './reckoning.ts';
import type { LedgerState } from './state.ts';

export function fanOut(state: LedgerState): Pick<Ledger, 'claimNotifications' | 'add'> {
  const earlier = dueClaims<NotificationEntry>(state.now);

  function claimDue(
    selector: Extract<ClaimSelector, { due: number }>,
    lease: Lease,
    now: number,
  ): NotificationVerdict[] {
    const repeated = earlier.grantedTo(lease.requestId);
    if (repeated !== null) return repeated.map((entry) => claim(state, entry, lease, now)).filter(isGrant);
    const granted: NotificationEntry[] = [];
    const verdicts: NotificationVerdict[] = [];
    const { work, workAt } = state.notifications;
    const suspects = suspectRoom<NotificationEntry>(now);
    while (granted.length < selector.due && state.epochs.quarantineMs(now) === 0) {
      const next = work.popUntil(now - selector.lateMs);
      if (next === undefined) break;
      if (!isCurrent(state, next.item) || workAt(next.item.record) !== next.at) continue;
      if (!suspects.admits(next.item.record)) {
        if (suspects.leave(next)) continue;
        break;
      }
      const verdict = claim(state, next.item, lease, now);
      if (!isGrant(verdict)) {
        suspects.giveBack();
        continue;
      }
      granted.push(next.item);
      verdicts.push(verdict);
    }
    for (const { at, item } of suspects.left) work.push(at, item);
    earlier.remember(lease.requestId, granted, now + lease.leaseMs);
    return verdicts;
  }

  return {
    async claimNotifications(selector, lease) {
      const now = enter(state);
      if (!('ids' in selector)) return claimDue(selector, lease, now);
      const entries = selector.ids.map((id) => state.notifications.get(id));
      const suspects = suspectRoom<NotificationEntry>(
        now,
        isRepeat(
          entries.map((entry) => entry?.record),
          lease.requestId,
        ),
      );
      return selector.ids.map((id, i) => {
        const entry = entries[i];
        if (entry === undefined) return claimAbsent(state, id, (selector.agesMs[i] ?? 0) > selector.strayAfterMs, now);
        if (!suspects.admits(entry.record)) return { kind: 'held', id, remainingMs: 0 };
        const verdict = claim(state, entry, lease, now);
        if (!isGrant(verdict)) suspects.giveBack();
        return verdict;
      });
    },
    async add(batch) {
      const now = enter(state);
      return batch.map((request) => add(state, request, now));
    },
  };
}

/** A wake without a record. During a quarantine nobody can say yet whether there was one. */
export function claimAbsent(
  state: LedgerState,
  id: string,
  isOld: boolean,
  now: number,
): { kind: 'held'; id: string; remainingMs: number } | { kind: 'absent' | 'stray'; id: string } {
  const remainingMs = state.epochs.quarantineMs(now);
  if (remainingMs > 0) return { kind: 'held', id, remainingMs };
  if (!isOld) return { kind: 'absent', id };
  state.strays.add(id);
  return { kind: 'stray', id };
}

function isGrant(verdict: NotificationVerdict): boolean {
  return verdict.kind === 'granted';
}

function isCurrent({ notifications }: LedgerState, entry: NotificationEntry): boolean {
  return notifications.get(entry.record.id) === entry;
}

function claim(state: LedgerState, entry: NotificationEntry, lease: Lease, now: number): NotificationVerdict {
  const { id } = entry.record;
  const remainingMs = state.epochs.quarantineMs(now);
  if (remainingMs > 0 && !isNotificationOver(entry.record.state)) return { kind: 'held', id, remainingMs };
  const step = claimNotification(entry.record, lease, now, state.epochs.next());
  switch (step.kind) {
    case 'granted':
    case 'repeated':
      state.epochs.used(step.record.fence);
      state.notifications.update(entry, step.record);
      return { kind: 'granted', id, fence: step.record.fence, record: step.record, page: nextPage(state, entry) };
    case 'ended':
      state.notifications.update(entry, step.record);
      return { kind: 'settled', id, state: step.record.state };
    case 'held':
      return { kind: 'held', id, remainingMs: step.remainingMs };
    case 'later':
      return { kind: 'later', id, dueInMs: step.dueInMs };
    case 'settled':
      return { kind: 'settled', id, state: entry.record.state };
  }
}

/** The targets to expand now; null where a route has to be asked first, or nothing is left. */
function nextPage(
  { notifications }: LedgerState,
  { record }: NotificationEntry,
  entry = notifications.get(record.id),
): readonly Target[] | null {
  if (entry === undefined || !record.sealed || record.cursor >= record.pages) return null;
  return notifications.pageOf(entry, record.cursor);
}

function add(state: LedgerState, request: AddRequest, now: number): AddVerdict {
  const { notifications } = state;
  const entry = notifications.get(request.notificationId);
  if (entry === undefined) return { kind: 'absent' };
  const { record } = entry;
  if (record.state === 'cancelled') return { kind: 'cancelled' };
  const isHolder = record.fence === request.fence && record.leaseUntil !== null && state.epochs.quarantineMs(now) === 0;
  if (request.page < record.cursor)
    return { kind: 'repeated', record, next: isHolder && request.leaseMs > 0 ? nextPage(state, entry) : null };
  if (!isHolder || !isExpected(record, request)) return { kind: 'fenced' };
  if (request.sealTargets !== null)
    notifications.storePage(
      entry,
      0,
      request.deliveries.map((delivery) => delivery.target),
    );
  const inserted = request.deliveries.filter((delivery) => insert(state, record, delivery, now)).map(({ id }) => id);
  notifications.dropPage(entry, request.page);
  const after = afterPage(record, request, inserted.length, now);
  const isDone = after.state === 'expanded' && entry.open === 0;
  notifications.update(entry, isDone ? { ...after, state: 'done' } : after);
  return {
    kind: 'added',
    inserted,
    record: entry.record,
    next: entry.record.leaseUntil === null ? null : nextPage(state, entry),
  };
}

/** The page under the cursor of what is frozen; or, with `sealTargets`, the one page that freezes a route's result. */
function isExpected(record: NotificationRecord, request: AddRequest): boolean {
  if (isNotificationOver(record.state) || request.page !== record.cursor) return false;
  return record.sealed ? request.sealTargets === null && request.page < record.pages : request.sealTargets !== null;
}

function insert(state: LedgerState, of: NotificationRecord, from: NewDelivery, now: number): boolean {
  if (state.deliveries.slotOf(from.id) >= 0) return false;
  const record = newDelivery(from, of, now);
  if (!state.epochs.isSuspect(of)) {
    state.insert(record, 'fan-out');
    return true;
  }
  // It may have been made and sent before the store lost its memory, as early as the notification was accepted.
  const presumed = presume({ ...record, updatedAt: of.acceptedAt }, now);
  state.insert({ ...presumed, fence: state.epochs.mint() }, 'amnesia');
  return true;
}
