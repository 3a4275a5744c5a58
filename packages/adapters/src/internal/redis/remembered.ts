import type { DeliveryFact, Found, NotificationFact, StoreFact } from '../ahead/facts.ts';
import type { Known } from '../ahead/known.ts';
import type { Run } from '../ahead/run.ts';
import { NOT_READ } from '../sqlite/delivery-row.ts';

/** For so long the time that Redis said last is good to decide by, ms. The script that writes holds it against the time there. */
export const MOST_STALE_MS = 500;
/** Deliveries: more than any worker has in hand. Those that others took over are forgotten by and by. */
const MOST = 20_000;

/** A delivery as this process left it, and its notification as it was found with it. */
interface Left {
  readonly fact: DeliveryFact;
  readonly notification: NotificationFact;
}

/**
 * The deliveries that this process has in hand, as it left them. Nothing rests on that: a call that begins with them instead of reading
 * writes on condition of their versions, like any other, and reads when it is refused.
 */
export interface Remembered {
  /** The store as it was last read; null: not since something changed in it. */
  readonly store: StoreFact | null;
  /** The memory that the data were last used in, as it stands in them. */
  readonly identity: string;
  /** The time there when it was last heard of, epoch ms, and how long ago that was, ms. */
  readonly heard: { readonly nowMs: number; readonly agoMs: number };
  /** A reading's. */
  read(store: StoreFact, identity: string): void;
  /** Redis has said what time it is. */
  hear(nowMs: number): void;
  /** What a reading of these deliveries would bring; null: they have to be read. */
  found(ids: ReadonlySet<string>): Found | null;
  keep(fact: DeliveryFact, notification: NotificationFact): void;
  /** What a call has written. */
  wrote(run: Run, known: Known): void;
  /** Something was not as it was left, or may not have been written. */
  forget(run: Run): void;
}

export function remembered(): Remembered {
  const left = new Map<string, Left>();
  let store: StoreFact | null = null;
  let identity = '';
  let nowMs = 0;
  let heardAt = 0;

  function keep(fact: DeliveryFact, notification: NotificationFact): void {
    left.set(fact.id, { fact, notification });
    if (left.size <= MOST) return;
    for (const oldest of left.keys()) {
      left.delete(oldest);
      return;
    }
  }

  function hear(now: number): void {
    nowMs = now;
    heardAt = performance.now();
  }

  return {
    get store() {
      return store;
    },
    get heard() {
      return { nowMs, agoMs: performance.now() - heardAt };
    },
    get identity() {
      return identity;
    },
    read(fact, stands) {
      store = fact;
      identity = stands;
      hear(fact.nowMs);
    },
    hear,
    found(ids) {
      if (store === null || ids.size === 0) return null;
      if (performance.now() - heardAt > MOST_STALE_MS) return null;
      const facts: DeliveryFact[] = [];
      const parents = new Map<string, NotificationFact>();
      for (const id of ids) {
        const one = left.get(id);
        if (one === undefined) return null;
        facts.push(one.fact);
        parents.set(one.notification.id, one.notification);
      }
      // Opt-outs and unmatched evidence are asked for by the script that writes, of just what it writes.
      const fact = { ...store, nowMs, hasSuppressions: false, hasKept: false };
      return { store: fact, deliveries: facts, notifications: [...parents.values()], answers: [] };
    },
    keep,
    wrote(run, known) {
      for (const { id, fact, record, isDirty, isRemoved } of run.deliveries.entries()) {
        if (!isDirty) continue;
        left.delete(id);
        if (isRemoved) continue;
        const notification = known.notification(record.notificationId);
        const isInHand = record.state === 'processing' || record.state === 'dispatching';
        // Where the message was not read it is not known.
        if (isInHand && fact !== null && notification && record.message !== NOT_READ)
          keep({ ...fact, version: String(Number(fact.version) + 1), record }, notification);
      }
    },
    forget(run) {
      store = null;
      for (const { id } of run.deliveries.entries()) left.delete(id);
    },
  };
}
