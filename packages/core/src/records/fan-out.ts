import { isNotificationOver, type NotificationRecord } from '../model/notification.ts';
import type { Target } from '../model/recipient.ts';
import { afterPage, claimNotification, expectsPage, newDelivery } from '../model/steps/notification.ts';
import { presume } from '../model/steps/sweep.ts';
import type {
  AddRequest,
  AddVerdict,
  ClaimSelector,
  Ledger,
  Lease,
  NewDelivery,
  NotificationVerdict,
} from '../ports/ledger.ts';
import { claimAbsent } from './absent.ts';
import { enter } from './reckoning.ts';
import type { NotificationEntry, Records, RecordStore } from './store.ts';
import { isRepeat, suspectRoom } from './suspects.ts';

export function fanOut(store: RecordStore): Pick<Ledger, 'claimNotifications' | 'add'> {
  return {
    claimNotifications: (selector, lease) =>
      store.transact((records) => {
        const now = enter(records);
        return 'ids' in selector ? claimIds(records, selector, lease, now) : claimDue(records, selector, lease, now);
      }),
    add: (batch) =>
      store.transact(
        (records) => {
          const now = enter(records);
          return batch.map((request) => add(records, request, now));
        },
        { ids: batch.flatMap(({ deliveries }) => deliveries.map(({ id }) => id)) },
      ),
  };
}

type DueSelector = Extract<ClaimSelector, { due: number }>;
type IdSelector = Extract<ClaimSelector, { ids: unknown }>;

function claimDue(records: Records, selector: DueSelector, lease: Lease, now: number): NotificationVerdict[] {
  const earlier = records.claims.grantedTo(lease.requestId);
  if (earlier !== null) return claimAgain(records, earlier, lease, now);
  const granted: string[] = [];
  const verdicts: NotificationVerdict[] = [];
  const { work } = records.notifications;
  const suspects = suspectRoom<NotificationEntry>(now);
  if (selector.due > 0 && records.epochs.quarantineMs(now) === 0)
    for (const next of work.due(now - selector.lateMs, selector.due)) {
      if (!suspects.admits(next.item.record)) {
        if (suspects.leave(next)) continue;
        break;
      }
      const verdict = claim(records, next.item, lease, now);
      if (!isGrant(verdict)) {
        suspects.giveBack();
        continue;
      }
      granted.push(verdict.id);
      verdicts.push(verdict);
      if (granted.length === selector.due) break;
    }
  work.leave(suspects.left);
  // An empty answer need not be remembered: a repeat that finds work would only be the first to do so.
  if (granted.length > 0) records.claims.remember(lease.requestId, granted, now + lease.leaseMs);
  return verdicts;
}

/** The grants of an earlier call under this request that still stand, and nothing else. */
function claimAgain(records: Records, ids: readonly string[], lease: Lease, now: number): NotificationVerdict[] {
  const verdicts: NotificationVerdict[] = [];
  for (const id of ids) {
    const entry = records.notifications.get(id);
    if (entry?.record.requestId === lease.requestId) verdicts.push(claim(records, entry, lease, now));
  }
  return verdicts.filter(isGrant);
}

function claimIds(records: Records, selector: IdSelector, lease: Lease, now: number): NotificationVerdict[] {
  const entries = selector.ids.map((id) => records.notifications.get(id));
  const suspects = suspectRoom<NotificationEntry>(
    now,
    isRepeat(
      entries.map((entry) => entry?.record),
      lease.requestId,
    ),
  );
  return selector.ids.map((id, i) => {
    const entry = entries[i];
    if (entry === undefined) return claimAbsent(records, id, (selector.agesMs[i] ?? 0) > selector.strayAfterMs, now);
    if (!suspects.admits(entry.record)) return { kind: 'held', id, remainingMs: 0 };
    const verdict = claim(records, entry, lease, now);
    if (!isGrant(verdict)) suspects.giveBack();
    return verdict;
  });
}

function isGrant(verdict: NotificationVerdict): boolean {
  return verdict.kind === 'granted';
}

function claim(records: Records, entry: NotificationEntry, lease: Lease, now: number): NotificationVerdict {
  const { notifications, epochs } = records;
  const { id } = entry.record;
  const remainingMs = epochs.quarantineMs(now);
  if (remainingMs > 0 && !isNotificationOver(entry.record.state)) return { kind: 'held', id, remainingMs };
  const step = claimNotification(entry.record, lease, now, epochs.next());
  switch (step.kind) {
    case 'granted':
    case 'repeated':
      epochs.used(step.record.fence);
      notifications.update(entry, step.record);
      return grant(records, entry);
    case 'ended':
      notifications.update(entry, step.record);
      return { kind: 'settled', id, state: step.record.state };
    case 'held':
      return { kind: 'held', id, remainingMs: step.remainingMs };
    case 'later':
      return { kind: 'later', id, dueInMs: step.dueInMs };
    case 'settled':
      return { kind: 'settled', id, state: entry.record.state };
  }
}

function grant(records: Records, entry: NotificationEntry): NotificationVerdict {
  const page = nextPage(records, entry);
  const { id, fence, state } = entry.record;
  if (state === 'failed') return { kind: 'settled', id, state };
  return { kind: 'granted', id, fence, record: entry.record, page };
}

/**
 * The targets to expand now; null where a route has to be asked first, or nothing is left. A page that cannot be read ends the
 * notification where somebody sees it: to go on without it would leave its recipients out for good.
 */
function nextPage({ notifications }: Records, entry: NotificationEntry): readonly Target[] | null {
  const { record } = entry;
  if (!record.sealed || record.cursor >= record.pages) return null;
  const page = notifications.pageOf(entry, record.cursor);
  if (page !== undefined) return page;
  const reason = `page ${record.cursor} of its recipients is lost or damaged in the store; those before it were made`;
  notifications.update(entry, {
    ...record,
    state: 'failed',
    reason,
    leaseUntil: null,
    owner: null,
    requestId: null,
  });
  return null;
}

function add(records: Records, request: AddRequest, now: number): AddVerdict {
  const { notifications, epochs } = records;
  const entry = notifications.get(request.notificationId);
  if (entry === undefined) return { kind: 'absent' };
  const { record } = entry;
  if (record.state === 'cancelled') return { kind: 'cancelled' };
  const isHolder = record.fence === request.fence && record.leaseUntil !== null && epochs.quarantineMs(now) === 0;
  if (request.page < record.cursor)
    return { kind: 'repeated', record, next: isHolder && request.leaseMs > 0 ? nextPage(records, entry) : null };
  if (!isHolder || !expectsPage(record, request)) return { kind: 'fenced' };
  if (request.sealTargets !== null)
    notifications.storePage(
      entry,
      0,
      request.deliveries.map((delivery) => delivery.target),
    );
  const inserted = request.deliveries.filter((delivery) => insert(records, record, delivery, now)).map(({ id }) => id);
  notifications.dropPage(entry, request.page);
  const after = afterPage(record, request, inserted.length, now);
  const isDone = after.state === 'expanded' && entry.open === 0;
  notifications.update(entry, isDone ? { ...after, state: 'done' } : after);
  const next = entry.record.leaseUntil === null ? null : nextPage(records, entry);
  return { kind: 'added', inserted, record: entry.record, next };
}

function insert(records: Records, of: NotificationRecord, from: NewDelivery, now: number): boolean {
  const { deliveries, epochs } = records;
  if (deliveries.refOf(from.id) >= 0) return false;
  const record = newDelivery(from, of, now);
  if (!epochs.isSuspect(of)) {
    deliveries.insert(record, 'fan-out');
    return true;
  }
  // It may have been made and sent before the store lost its memory, as early as the notification was accepted.
  const presumed = presume({ ...record, updatedAt: of.acceptedAt }, now);
  deliveries.insert({ ...presumed, fence: epochs.mint() }, 'amnesia');
  return true;
}
