import { SendonceError } from '../../model/errors.ts';
import type { NotificationRecord } from '../../model/notification.ts';
import { newNotification } from '../../model/steps/notification.ts';
import type { AcceptVerdict, Ledger, NewNotification, SealRequest, SealVerdict } from '../../ports/ledger.ts';
import type { NotificationEntry } from './notification-store.ts';
import { enter } from './reckoning.ts';
import type { LedgerState } from './state.ts';

export function producing(state: LedgerState): Pick<Ledger, 'accept' | 'seal'> {
  return {
    async accept(batch, options) {
      if (options?.transaction !== undefined)
        throw new SendonceError('OPTION_INVALID', 'the memory ledger cannot join a transaction; accept without one');
      const now = enter(state);
      return batch.map((each) => accept(state, each, now));
    },
    async seal(batch) {
      const now = enter(state);
      return batch.map((each) => seal(state, each, now));
    },
  };
}

function accept({ notifications }: LedgerState, from: NewNotification, now: number): AcceptVerdict {
  const known = notifications.get(from.id);
  if (known !== undefined) {
    const isSame = known.record.fingerprint === from.fingerprint;
    return { kind: isSame ? 'repeated' : 'conflict', record: known.record };
  }
  const entry = notifications.insert(newNotification(from, now));
  if (from.page !== null) notifications.storePage(entry, 0, from.page);
  return { kind: 'accepted', record: entry.record };
}

function seal(state: LedgerState, request: SealRequest, now: number): SealVerdict {
  const { notifications } = state;
  const entry = notifications.get(request.notificationId);
  if (entry === undefined) return { kind: 'absent' };
  const { record } = entry;
  if (record.state === 'cancelled') return { kind: 'cancelled' };
  if (record.sealed)
    return { kind: 'sealed', record, same: notifications.hasPage(entry, request.page, request.targets) };
  if (!mayStore(state, record, request, now)) return { kind: 'fenced' };
  notifications.storePage(entry, request.page, request.targets);
  notifications.update(entry, sealed(entry, request, now));
  return { kind: 'stored', record: entry.record };
}

/** A page beyond the next one is refused too: the pages between were dropped by somebody who began again. */
function mayStore(state: LedgerState, record: NotificationRecord, request: SealRequest, now: number): boolean {
  if (request.page > record.pages) return false;
  if (record.recipients === 'explicit') return request.fence === null;
  return request.fence === record.fence && record.leaseUntil !== null && state.epochs.quarantineMs(now) === 0;
}

function sealed(entry: NotificationEntry, request: SealRequest, now: number): NotificationRecord {
  const { record, pages } = entry;
  return {
    ...record,
    sealed: request.last,
    state: request.last ? 'expanding' : record.state,
    pages: pages.length,
    targets: pages.reduce((sum, page) => sum + page.targets, 0),
    dueAt: Math.max(record.dueAt, now),
  };
}
