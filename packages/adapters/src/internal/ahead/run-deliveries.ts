import { isSettled, type DeliveryRecord } from '@sendonce/core';
import {
  isMove,
  learnedMessages,
  matchKept,
  messageKey,
  openChange,
  watchAt,
  workAt,
  type Deliveries,
  type Due,
  type DueRecords,
  type Matching,
  type Ref,
} from '@sendonce/core/records';
import { storyLine } from '../sqlite/story.ts';
import type { DeliveryFact } from './facts.ts';
import type { Known } from './known.ts';
import type { RunEvidence } from './run-evidence.ts';
import type { RunNotifications } from './run-notifications.ts';
import type { Scan } from './scan.ts';
import { plain } from './plain.ts';

/** A delivery as one run of a call sees it. */
export interface DeliveryEntry {
  readonly id: string;
  /** Null: it is made by this run. */
  readonly fact: DeliveryFact | null;
  record: DeliveryRecord;
  isDirty: boolean;
  /** It is to go. */
  isRemoved: boolean;
  /** The message is to be written. */
  isFrozenNow: boolean;
  /** Lines to append. */
  story: string;
}

export interface RunDeliveries extends Deliveries {
  /** All that were looked at. */
  entries(): Iterable<DeliveryEntry>;
  /** Providers' messages that became known, with their deliveries. */
  readonly learned: readonly (readonly [key: string, delivery: string])[];
}

export interface RunDeliveriesOptions {
  readonly now: () => number;
  readonly notifications: RunNotifications;
  readonly evidence: RunEvidence;
  readonly scan: Scan;
  readonly countRefusedMove: () => void;
}

const NOWHERE: Ref = -1;

export function runDeliveries(known: Known, options: RunDeliveriesOptions): RunDeliveries {
  const { now, notifications, evidence, scan } = options;
  const entries = new Map<Ref, DeliveryEntry>();
  const learned: (readonly [string, string])[] = [];
  const counted = { countRefusedMove: options.countRefusedMove };
  const matching: Matching = { now, kept: evidence, counted, update };

  function read(ref: Ref): DeliveryEntry | undefined {
    if (ref < 0) return undefined;
    const met = entries.get(ref);
    if (met !== undefined) return met;
    const fact = known.delivery(known.idOf(ref));
    if (fact?.record === undefined) return undefined;
    const entry = entryOf(fact.id, fact, fact.record);
    entries.set(ref, entry);
    return entry;
  }

  function update(ref: Ref, before: DeliveryRecord, after: DeliveryRecord, by: string): DeliveryRecord {
    const entry = after === before ? undefined : entries.get(ref);
    if (entry === undefined) return before;
    if (before.message === null && after.message !== null) entry.isFrozenNow = true;
    return written(ref, entry, before, after, by);
  }

  /** What follows from a write: its story, the provider's ids, and evidence that waited for it. */
  function written(
    ref: Ref,
    entry: DeliveryEntry,
    before: DeliveryRecord | null,
    after: DeliveryRecord,
    by: string,
  ): DeliveryRecord {
    entry.record = after;
    entry.isDirty = true;
    const { updatedAt: at, state: to, fence, reason: note } = after;
    if (isMove(before, after)) entry.story += storyLine({ at, to, by, fence, note });
    notifications.countOpen(after.notificationId, openChange(before, after));
    for (const key of learnedMessages(before, after)) learned.push([key, after.id]);
    return matchKept(matching, ref, after);
  }

  function due(kind: 'work' | 'watch', timeOf: (record: DeliveryRecord) => number | null): DueRecords<Ref> {
    return {
      *due(untilMs, expected): Generator<Due<Ref>> {
        for (const id of scan(kind, untilMs, expected)) {
          const ref = known.refOf(id);
          const entry = read(ref);
          // Changed earlier in this call: what it was found by is not so any more.
          const at = entry === undefined || entry.isDirty ? null : timeOf(entry.record);
          if (at !== null) yield { at, item: ref };
        }
      },
      leave() {},
    };
  }

  return {
    learned,
    entries: () => entries.values(),
    refOf(id) {
      const ref = known.refOf(id);
      return entries.has(ref) || known.delivery(id) ? ref : NOWHERE;
    },
    at(ref) {
      const entry = read(ref);
      return entry?.isRemoved === true ? undefined : entry?.record;
    },
    insert(record, by) {
      const ref = known.refOf(record.id);
      const entry = { ...entryOf(record.id, null, record), isDirty: true, isFrozenNow: record.message !== null };
      entries.set(ref, entry);
      return written(ref, entry, null, record, by);
    },
    update,
    remove(ref) {
      const entry = read(ref);
      if (entry !== undefined) Object.assign(entry, { isDirty: true, isRemoved: true });
    },
    work: due('work', workAt),
    watch: due('watch', watchAt),
    *unsettled() {
      for (const id of known.ids('unsettled', 'all') ?? []) {
        const ref = known.refOf(id);
        const record = read(ref)?.record;
        if (record !== undefined && !isSettled(record.state)) yield ref;
      }
    },
    maybeOut: ({ recipientId }) => (known.ids('recipient', plain(recipientId)) ?? []).map((id) => known.refOf(id)),
    withMessage(provider, providerMessageId) {
      const key = messageKey(provider, providerMessageId);
      const own = learned.flatMap(([each, id]) => (each === key ? [id] : []));
      for (const id of [...own, ...(known.ids('message', plain(key)) ?? [])]) {
        const ref = known.refOf(id);
        const record = read(ref)?.record;
        // An entry that a forgotten delivery left behind says nothing.
        if (record !== undefined && learnedMessages(null, record).includes(key)) return ref;
      }
      return NOWHERE;
    },
  };
}

function entryOf(id: string, fact: DeliveryFact | null, record: DeliveryRecord): DeliveryEntry {
  return { id, fact, record, isDirty: false, isRemoved: false, isFrozenNow: false, story: '' };
}

/** What is there of it after the write; null: nothing. */
export function leftOf({ record, isRemoved }: DeliveryEntry): DeliveryRecord | null {
  return isRemoved ? null : record;
}
