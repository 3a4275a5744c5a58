import type { DeliveryRecord } from '../../model/delivery.ts';
import { isNotificationOver, type NotificationRecord } from '../../model/notification.ts';
import type { Counts, DeliveryFilter, Ledger, NotificationFilter, Page } from '../../ports/ledger.ts';
import { workAt } from '../../records/due-at.ts';
import { enter } from '../../records/reckoning.ts';
import type { LedgerState } from './state.ts';

type Reading = Pick<Ledger, 'find' | 'findNotifications' | 'list' | 'listNotifications' | 'count' | 'history'>;
const DEFAULT_LIMIT = 100;

export function reading(state: LedgerState): Reading {
  const { deliveries, notifications } = state;
  return {
    async find(ids) {
      enter(state);
      return ids.map((id) => {
        const slot = deliveries.refOf(id);
        return deliveries.at(slot) ?? null;
      });
    },
    async findNotifications(ids) {
      enter(state);
      return ids.map((id) => notifications.get(id)?.record ?? null);
    },
    async list(filter, { limit = DEFAULT_LIMIT, cursor = null } = {}) {
      const now = enter(state);
      return collect(deliveries.size, limit, cursor, (slot) => {
        const stored = deliveries.stateAt(slot);
        if (stored === undefined || filter.states?.includes(stored) === false) return null;
        const record = deliveries.at(slot)!;
        return fits(record, filter, now) ? record : null;
      });
    },
    async listNotifications(filter, { limit = DEFAULT_LIMIT, cursor = null } = {}) {
      enter(state);
      return collect(notifications.all.length, limit, cursor, (i) => {
        const { record } = notifications.all[i]!;
        return isListed(state, i) && fitsNotification(record, filter) ? record : null;
      });
    },
    async count() {
      const now = enter(state);
      return {
        deliveries: { ...state.counts },
        notifications: { ...notifications.counts },
        unsealed: unsealed(state),
        forgotten: notifications.forgotten,
        strays: state.strays.size,
        assumed: state.tallies.assumed,
        refusedMoves: state.tallies.refusedMoves,
        unreadable: 0,
        oldestDueMs: oldestDueMs(state, now),
      } satisfies Counts;
    },
    async history(id) {
      return [...(state.moves.get(id) ?? [])];
    },
  };
}

export function* everyDelivery({ deliveries }: LedgerState): Generator<DeliveryRecord> {
  for (let slot = 0; slot < deliveries.size; slot += 1) {
    const record = deliveries.at(slot);
    if (record !== undefined) yield record;
  }
}

/** Pages over positions 0 to `size`; the cursor is the next position. */
function collect<T>(size: number, limit: number, cursor: string | null, pick: (position: number) => T | null): Page<T> {
  const items: T[] = [];
  let position = cursor === null ? 0 : Number(cursor);
  for (; position < size && items.length < limit; position += 1) {
    const item = pick(position);
    if (item !== null) items.push(item);
  }
  return { items, cursor: position < size ? String(position) : null };
}

function fits(record: DeliveryRecord, filter: DeliveryFilter, now: number): boolean {
  const { notificationId, tenant, type, channel, provider, recipientId, settledForMs, redrivesBelow } = filter;
  if (notificationId !== undefined && record.notificationId !== notificationId) return false;
  if (tenant !== undefined && record.tenant !== tenant) return false;
  if (type !== undefined && record.type !== type) return false;
  if (channel !== undefined && record.target.channel !== channel) return false;
  if (provider !== undefined && record.provider !== provider) return false;
  if (recipientId !== undefined && record.target.recipientId !== recipientId) return false;
  if (settledForMs !== undefined && (record.settledAt === null || now - record.settledAt < settledForMs)) return false;
  return redrivesBelow === undefined || (record.redrives < redrivesBelow && record.replacedBy === null);
}

/** Not one whose accept was taken back, and no tombstone. */
function isListed({ notifications }: LedgerState, i: number): boolean {
  const { record } = notifications.all[i]!;
  return record.forgottenAt === undefined && notifications.get(record.id)?.index === i;
}

function fitsNotification(record: NotificationRecord, { states, sealed }: NotificationFilter): boolean {
  if (states !== undefined && !states.includes(record.state)) return false;
  return sealed === undefined || record.sealed === sealed;
}

/** A route's notification is unsealed until a worker asked it; only a producer can leave one behind. */
function unsealed({ notifications }: LedgerState): number {
  let count = 0;
  for (const { record, index } of notifications.all)
    if (record.recipients === 'explicit' && !record.sealed && !isNotificationOver(record.state))
      count += Number(notifications.get(record.id)?.index === index);
  return count;
}

function oldestDueMs({ work, deliveries, notifications }: LedgerState, now: number): number {
  const routing = notifications.oldest() ?? now;
  for (let first = work.peek(); first !== undefined && first.at <= now; first = work.peek()) {
    const record = deliveries.at(first.item);
    if (record !== undefined && workAt(record) === first.at) return now - Math.min(first.at, routing);
    work.popUntil(now);
  }
  return Math.max(0, now - routing);
}
