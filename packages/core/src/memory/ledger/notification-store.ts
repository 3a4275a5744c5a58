import {
  isNotificationOver,
  NOTIFICATION_STATES,
  type NotificationRecord,
  type NotificationState,
} from '../../model/notification.ts';
import { notificationWorkAt as workAt } from '../../records/due-at.ts';
import type { Notifications } from '../../records/store.ts';
import { timeHeap } from '../time-heap.ts';
import { dueIn } from './due-in.ts';
import type { ChunkPool } from './arena.ts';
import { pageStore } from './page-store.ts';
import { slotRanges, type SlotRanges } from './slot-ranges.ts';
import type { TargetCodec } from './target-codec.ts';
import type { Undo } from './undo.ts';

export interface StoredPage {
  readonly targets: number;
  /** Where its targets are; of an expanded page only their fingerprint. */
  readonly content: number | string;
}

export interface NotificationEntry {
  /** Its number among all notifications of this ledger. */
  readonly index: number;
  record: NotificationRecord;
  pages: readonly StoredPage[];
  /** Slots of its deliveries, all generations. */
  slots: SlotRanges;
  /** How many of them are not settled. */
  open: number;
}

export interface NotificationStore extends Notifications<NotificationEntry> {
  readonly all: readonly NotificationEntry[];
  readonly counts: Record<NotificationState, number>;
  /** How many tombstones there are. */
  readonly forgotten: number;
  /** When the longest due of those that may be claimed became due; null when there is none. */
  oldest(): number | null;
}

/** `isThere`: whether a delivery is still in this slot. */
export function notificationStore(
  undo: Undo,
  pool: ChunkPool,
  targets: TargetCodec,
  isThere: (slot: number) => boolean,
): NotificationStore {
  const contents = pageStore(pool, targets);
  const all: NotificationEntry[] = [];
  const byId = new Map<string, NotificationEntry>();
  const work = timeHeap<NotificationEntry>();
  const counts = Object.fromEntries(NOTIFICATION_STATES.map((state) => [state, 0])) as Record<
    NotificationState,
    number
  >;
  const ended: NotificationEntry[] = [];
  let forgotten = 0;

  function write(entry: NotificationEntry, record: NotificationRecord): void {
    const before = workAt(entry.record);
    counts[entry.record.state] -= 1;
    counts[record.state] += 1;
    entry.record = record;
    const at = workAt(record);
    if (at !== null && at !== before) work.push(at, entry);
  }

  return {
    all,
    get: (id) => byId.get(id),
    insert(record) {
      const entry: NotificationEntry = { index: all.length, record, pages: [], slots: slotRanges(), open: 0 };
      all.push(entry);
      byId.set(record.id, entry);
      counts[record.state] += 1;
      const at = workAt(record);
      if (at !== null) work.push(at, entry);
      undo.note(() => {
        byId.delete(record.id);
        counts[entry.record.state] -= 1;
      });
      return entry;
    },
    update(entry, record) {
      const before = entry.record;
      if (record === before) return;
      write(entry, record);
      undo.note(() => write(entry, before));
      if (isNotificationOver(record.state) && !isNotificationOver(before.state) && record.state !== 'cancelled')
        ended.push(entry);
    },
    storePage(entry, page, stored) {
      const before = entry.pages;
      for (const { content } of undo.isOn ? [] : before.slice(page))
        if (typeof content === 'number') contents.free(content);
      entry.pages = [...before.slice(0, page), { targets: stored.length, content: contents.write(stored) }];
      undo.note(() => (entry.pages = before));
      return { pages: entry.pages.length, targets: entry.pages.reduce((sum, { targets: count }) => sum + count, 0) };
    },
    pageOf(entry, page) {
      const content = entry.pages[page]?.content;
      if (content === undefined) return undefined;
      return typeof content === 'number' ? contents.read(content) : [];
    },
    hasPage(entry, page, wanted) {
      const content = entry.pages[page]?.content;
      if (content === undefined) return false;
      return (
        contents.fingerprintOf(wanted) === (typeof content === 'number' ? contents.fingerprintAt(content) : content)
      );
    },
    dropPage(entry, page) {
      const stored = entry.pages[page];
      // A store that may lose what it expanded has to be able to expand it again.
      if (typeof stored?.content !== 'number' || undo.isOn || !contents.isWorthFreeing(stored.content)) return;
      const { content } = stored;
      entry.pages = entry.pages.with(page, { targets: stored.targets, content: contents.fingerprintAt(content) });
      contents.free(content);
    },
    deliveriesOf: (entry) => entry.slots,
    someDeliveriesOf(entry, after, most) {
      const refs: number[] = [];
      for (const slot of entry.slots.from(Number(after ?? 0))) {
        if (!isThere(slot)) continue;
        if (refs.length === most) return { refs, next: String((refs.at(-1) ?? 0) + 1) };
        refs.push(slot);
      }
      return { refs, next: null };
    },
    get forgotten() {
      return forgotten;
    },
    bury(entry, tombstone) {
      const { record, pages, slots } = entry;
      counts[record.state] -= 1;
      forgotten += 1;
      if (!undo.isOn) for (const { content } of pages) if (typeof content === 'number') contents.free(content);
      Object.assign(entry, { record: tombstone, pages: [], slots: slotRanges() });
      const told = ended.indexOf(entry);
      if (told >= 0) ended.splice(told, 1);
      undo.note(() => {
        counts[record.state] += 1;
        forgotten -= 1;
        Object.assign(entry, { record, pages, slots });
      });
    },
    *unfinished() {
      for (const entry of all)
        if (byId.get(entry.record.id) === entry && !isNotificationOver(entry.record.state)) yield entry;
    },
    recount(entry, open) {
      entry.open = open;
    },
    work: dueIn(work, (entry) => (byId.get(entry.record.id) === entry ? workAt(entry.record) : null)),
    counts,
    oldest() {
      for (let first = work.peek(); first !== undefined; first = work.peek()) {
        if (byId.get(first.item.record.id) === first.item && workAt(first.item.record) === first.at) return first.at;
        work.popUntil(first.at);
      }
      return null;
    },
    takeEnded: (max) => ended.splice(0, max).map((entry) => entry.record),
  };
}
