import { fingerprint, type NotificationRecord, type Target } from '@sendonce/core';
import {
  notificationWorkAt,
  type Due,
  type NotificationEntry,
  type Notifications,
  type Ref,
} from '@sendonce/core/records';
import type { NotificationFact } from './facts.ts';
import type { Known } from './known.ts';
import type { Scan } from './scan.ts';

/** Stands in the place of targets that were expanded: anything else that is not what was stored is damage. */
export const EXPANDED = 'expanded';

/** A notification as one run of a call sees it. */
export interface Entry extends NotificationEntry {
  readonly id: string;
  /** Null: it is made by this run. */
  readonly fact: NotificationFact | null;
  record: NotificationRecord;
  open: number;
  isDirty: boolean;
}

export interface StoredPage {
  readonly targets: readonly Target[];
  readonly content: string;
  readonly fingerprint: string;
}

export interface RunNotifications extends Notifications<Entry> {
  countOpen(id: string, change: number): void;
  /** Changes to be written. */
  entries(): Iterable<Entry>;
  readonly opened: ReadonlyMap<string, number>;
  /** Pages from this one on are replaced by it, by notification. */
  readonly pages: ReadonlyMap<string, ReadonlyMap<number, StoredPage>>;
  readonly dropped: readonly (readonly [notification: string, page: number])[];
  readonly told: readonly string[];
}

export function runNotifications(known: Known, scan: Scan): RunNotifications {
  const entries = new Map<string, Entry>();
  const opened = new Map<string, number>();
  const pages = new Map<string, Map<number, StoredPage>>();
  const dropped: (readonly [string, number])[] = [];
  const told: string[] = [];

  function get(id: string): Entry | undefined {
    const met = entries.get(id);
    if (met !== undefined) return met;
    const fact = known.notification(id);
    if (fact?.record === undefined) return undefined;
    const entry: Entry = { id, fact, record: fact.record, open: fact.open + (opened.get(id) ?? 0), isDirty: false };
    entries.set(id, entry);
    return entry;
  }

  function update(entry: Entry, record: NotificationRecord): void {
    if (record === entry.record) return;
    entry.record = record;
    entry.isDirty = true;
  }

  function countOpen(id: string, change: number): void {
    if (change === 0) return;
    opened.set(id, (opened.get(id) ?? 0) + change);
    const entry = entries.get(id);
    if (entry !== undefined) entry.open += change;
  }

  function pageText(
    entry: Entry,
    page: number,
  ): { readonly content: string; readonly fingerprint: string } | undefined {
    const own = pages.get(entry.id);
    if (own !== undefined && page >= Math.min(...own.keys())) return own.get(page);
    const [row] = known.values('page', entry.id, String(page)) ?? [];
    return row && { fingerprint: row.x, content: row.y };
  }

  return {
    opened,
    pages,
    dropped,
    told,
    countOpen,
    entries: () => entries.values(),
    get,
    insert(record) {
      const entry: Entry = { id: record.id, fact: null, record, open: 0, isDirty: true };
      entries.set(record.id, entry);
      return entry;
    },
    update,
    storePage(entry, page, targets) {
      const content = JSON.stringify(targets);
      const own = pages.get(entry.id) ?? new Map<number, StoredPage>();
      for (const later of own.keys()) if (later >= page) own.delete(later);
      own.set(page, { targets, content, fingerprint: fingerprint(content) });
      pages.set(entry.id, own);
      const first = Math.min(...own.keys());
      const [before] = first === 0 ? [] : (known.values('before', entry.id, String(first)) ?? []);
      const sum = [...own.values()].reduce((total, each) => total + each.targets.length, 0);
      return { pages: Number(before?.x ?? 0) + own.size, targets: Number(before?.y ?? 0) + sum };
    },
    pageOf(entry, page) {
      const text = pageText(entry, page);
      if (text === undefined) return undefined;
      if (text.content === EXPANDED) return [];
      return fingerprint(text.content) === text.fingerprint ? (JSON.parse(text.content) as Target[]) : undefined;
    },
    hasPage: (entry, page, targets) => pageText(entry, page)?.fingerprint === fingerprint(JSON.stringify(targets)),
    dropPage(entry, page) {
      dropped.push([entry.id, page]);
    },
    someDeliveriesOf(entry, after, most) {
      // One more tells whether there are more.
      const ids = known.ids('some', entry.id, `${after ?? ''}+${most + 1}`) ?? [];
      const refs = ids.slice(0, most).map((id) => known.refOf(id));
      return { refs, next: ids.length <= most ? null : (ids[most - 1] ?? null) };
    },
    bury: update,
    *deliveriesOf(entry): Iterable<Ref> {
      for (const id of known.ids('of', entry.id) ?? []) yield known.refOf(id);
    },
    *unfinished() {
      for (const id of known.ids('unfinished', 'all') ?? []) {
        const entry = get(id);
        if (entry !== undefined) yield entry;
      }
    },
    recount: (entry, open) => countOpen(entry.id, open - entry.open),
    work: {
      *due(untilMs, expected): Generator<Due<Entry>> {
        for (const id of scan('routing', untilMs, expected)) {
          const entry = get(id);
          if (entry === undefined || entry.isDirty) continue;
          const at = notificationWorkAt(entry.record);
          if (at !== null) yield { at, item: entry };
        }
      },
      leave() {},
    },
    takeEnded(max) {
      if (max <= 0) return [];
      const ids = known.ids('ended', String(max)) ?? [];
      told.push(...ids);
      return ids.flatMap((id) => get(id)?.record ?? []);
    },
  };
}
