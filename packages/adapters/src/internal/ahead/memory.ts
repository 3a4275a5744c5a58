import type { Answer, DeliveryFact, NotificationFact, StoreFact } from './facts.ts';
import { storeClock } from './store-clock.ts';

/** A page of targets, as the store answers for it. */
export type PageFact = readonly Answer[];

/** What a call may take from memory instead of reading it. */
export interface Recall {
  readonly store: StoreFact;
  /** None for a call that makes deliveries: it takes the notifications that it expands. */
  delivery(id: string): DeliveryFact | undefined;
  notification(id: string): NotificationFact | undefined;
  page(notification: string, page: string): PageFact | undefined;
  /** The opt-outs of a recipient, as they stand in the recalled store. */
  suppressed(tenant: string, recipient: string): readonly Answer[] | undefined;
}

/**
 * What this process read or wrote last of the records that it has in hand, so that a step on them need not read them again. It proves
 * nothing: whatever a call rests on and took from here, its write has to find unchanged, or the call begins again and reads.
 */
export interface Memory {
  /** Null when the store itself has to be asked first. `expanding`: for a call that makes deliveries. */
  recall(expanding: boolean): Recall | null;
  /** The store answered, to a request that left at `askedAt` on the clock of `monotonic`. */
  saw(store: StoreFact, askedAt: number): void;
  wasAt(storeMs: number, askedAt: number): void;
  keepDelivery(fact: DeliveryFact): void;
  /** As the parent of a delivery: without its data. */
  keepParent(fact: NotificationFact): void;
  keepExpanding(fact: NotificationFact): void;
  keepPage(notification: string, page: string, fact: PageFact): void;
  /** `gates`: the version of all opt-outs that these were read with. */
  keepSuppressed(about: readonly [tenant: string, recipient: string], gates: string, rows: readonly Answer[]): void;
  dropDelivery(id: string): void;
  dropExpanding(id: string): void;
  monotonic(): number;
}

/** More than a worker has in hand; beyond it the oldest are read again. */
const MOST_DELIVERIES = 20_000;
const MOST_PARENTS = 5_000;
/** Each with its data, which may be long. A worker expands twenty at once. */
const MOST_EXPANDING = 64;
/** Pages read ahead, each of which may hold ten thousand targets. */
const MOST_PAGES = 8;

/** `monotonic`: this process's clock, ms, that never goes back. */
export function memoryOf(monotonic: () => number): Memory {
  const deliveries = bounded<DeliveryFact>(MOST_DELIVERIES);
  const parents = bounded<NotificationFact>(MOST_PARENTS);
  const expanding = bounded<NotificationFact>(MOST_EXPANDING);
  const pages = bounded<PageFact>(MOST_PAGES);
  const suppressed = bounded<{ readonly gates: string; readonly rows: readonly Answer[] }>(MOST_DELIVERIES);
  const clock = storeClock(monotonic);
  let store: StoreFact | null = null;

  return {
    monotonic,
    recall(isExpanding) {
      const nowMs = clock.atLeast();
      if (store === null || nowMs === null || !isQuiet(store, nowMs)) return null;
      const { gates } = store;
      return {
        store: { ...store, nowMs, isRecalled: true },
        delivery: isExpanding ? () => undefined : deliveries.get,
        notification: isExpanding ? expanding.get : parents.get,
        page: (notification, page) => pages.get(`${notification} ${page}`),
        suppressed(tenant, recipient) {
          const kept = suppressed.get(`${tenant} ${recipient}`);
          return kept?.gates === gates ? kept.rows : undefined;
        },
      };
    },
    saw(fact, askedAt) {
      store = fact;
      clock.sample(fact.nowMs, askedAt);
    },
    wasAt: (storeMs, askedAt) => clock.sample(storeMs, askedAt),
    keepDelivery: (fact) => deliveries.set(fact.id, fact),
    keepParent: (fact) => parents.set(fact.id, { ...fact, record: fact.record && { ...fact.record, data: null } }),
    keepExpanding: (fact) => expanding.set(fact.id, fact),
    keepPage: (notification, page, fact) => pages.set(`${notification} ${page}`, fact),
    keepSuppressed: ([tenant, recipient], gates, rows) => suppressed.set(`${tenant} ${recipient}`, { gates, rows }),
    dropDelivery: (id) => deliveries.delete(id),
    dropExpanding: (id) => expanding.delete(id),
  };
}

/** Nothing is to be decided about the store's own memory. */
function isQuiet({ identity, identityNow, epoch }: StoreFact, nowMs: number): boolean {
  return identity === identityNow && epoch.isReckoned && epoch.quietUntil <= nowMs;
}

interface Bounded<T> {
  readonly get: (key: string) => T | undefined;
  readonly set: (key: string, value: T) => void;
  readonly delete: (key: string) => void;
}

function bounded<T>(most: number): Bounded<T> {
  const kept = new Map<string, T>();
  return {
    get: (key) => kept.get(key),
    set(key, value) {
      // As the youngest again.
      kept.delete(key);
      kept.set(key, value);
      if (kept.size <= most) return;
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
    },
    delete: (key) => void kept.delete(key),
  };
}
