import type { Ref } from '@sendonce/core/records';
import type { Answer, DeliveryFact, Found, NotificationFact, StoreFact } from './facts.ts';
import type { Recall } from './memory.ts';
import { ASKED, type Asked, type Question, type Wanted } from './questions.ts';

/**
 * What one call has read so far. Whatever is asked and not known yet is noted, and counts as absent: the caller runs the call for what
 * it asks, has it read, and runs the call again, until nothing was missing.
 */
export interface Known {
  readonly store: StoreFact | null;
  /** Null: there is none. Undefined: not known yet. */
  delivery(id: string): DeliveryFact | null | undefined;
  notification(id: string): NotificationFact | null | undefined;
  refOf(id: string): Ref;
  idOf(ref: Ref): string;
  /** The values of the answer, for the kinds that have values. */
  values(kind: Asked, a: string, b?: string): readonly Answer[] | undefined;
  /** The ids of the answer, for the kinds that have ids. */
  ids(kind: Asked, a: string, b?: string): readonly string[] | undefined;
  want(ids: readonly string[]): void;
  /** A fence is about to be used. The one that comes with a recalled store was used before. */
  wantFence(): void;
  /** What was taken from memory, and still has to be proven. */
  readonly recalled: { readonly deliveries: ReadonlySet<string>; readonly notifications: ReadonlySet<string> };
  /** Nothing was missing since the last `enter`: what the run comes to may stand. */
  readonly isComplete: boolean;
  /** What was missing since the last `enter`; null: nothing. */
  missing(): Wanted | null;
  /** What was found for `wanted`. */
  enter(found: Found, wanted: Wanted): void;
  /** Records that cannot be read. */
  readonly damaged: { readonly deliveries: ReadonlySet<string>; readonly notifications: ReadonlySet<string> };
}

const nameOf = ({ kind, a, b }: Question): string => `${kind}\u001e${a}\u001e${b}`;

export interface KnownOptions {
  /** Where to look before the store is asked; null: nowhere. */
  readonly recall?: Recall | null;
  /** Notifications are new as a rule, as `presumedAbsent` are. */
  readonly presumesNew?: boolean;
}

/** `presumedAbsent`: deliveries that are new as a rule. Where one is not, its insert fails, and the call begins again without presuming. */
export function known(
  presumedAbsent: ReadonlySet<string> = new Set(),
  { recall = null, presumesNew = false }: KnownOptions = {},
): Known {
  let store: StoreFact | null = recall?.store ?? null;
  const recalled = { deliveries: new Set<string>(), notifications: new Set<string>() };
  const deliveries = new Map<string, DeliveryFact | null>();
  const notifications = new Map<string, NotificationFact | null>();
  const answers = new Map<string, { readonly values: Answer[]; readonly ids: string[] }>();
  const refs = new Map<string, Ref>();
  const ids: string[] = [];
  const damaged = { deliveries: new Set<string>(), notifications: new Set<string>() };
  let wanted = nothing();

  function ask(kind: Asked, a: string, b: string): { values: readonly Answer[]; ids: readonly string[] } | undefined {
    const question = { kind, a, b };
    const name = nameOf(question);
    const answer = answers.get(name);
    if (answer !== undefined) return answer;
    const values = recallValues(question);
    if (values === undefined) wanted.questions.set(name, question);
    return values && { values, ids: [] };
  }

  function recallValues({ kind, a, b }: Question): readonly Answer[] | undefined {
    if (kind === 'page') return recall?.page(a, b);
    return kind === 'suppressed' ? recall?.suppressed(a, b) : undefined;
  }

  function recallDelivery(id: string): DeliveryFact | undefined {
    const fact = recall?.delivery(id);
    if (fact === undefined) return undefined;
    recalled.deliveries.add(id);
    deliveries.set(id, fact);
    return fact;
  }

  function recallNotification(id: string): NotificationFact | undefined {
    const fact = recall?.notification(id);
    if (fact === undefined) return undefined;
    recalled.notifications.add(id);
    notifications.set(id, fact);
    return fact;
  }

  function enterFound(found: Found): void {
    // What was asked first is the oldest of what the call rests on: its write is refused when opt-outs or memory changed since.
    const { gates, version } = store ?? found.store;
    store = { ...found.store, gates, version };
    for (const fact of found.deliveries) {
      deliveries.set(fact.id, fact);
      if (fact.record === undefined) damaged.deliveries.add(fact.id);
    }
    for (const fact of found.notifications) {
      notifications.set(fact.id, fact);
      if (fact.record === undefined) damaged.notifications.add(fact.id);
    }
    for (const { kind, a, b, x, y } of found.answers) {
      const name = nameOf({ kind, a, b });
      // First pages come along with what waits to be expanded, unasked.
      if (kind === 'page' && !answers.has(name)) answers.set(name, { values: [], ids: [] });
      const answer = answers.get(name);
      if (ASKED[kind] === 'values') answer?.values.push({ x, y });
      else answer?.ids.push(x);
    }
  }

  return {
    get store() {
      return store;
    },
    damaged,
    recalled,
    wantFence() {
      if (store?.isRecalled === true) wanted.fence = true;
    },
    delivery(id) {
      const fact = deliveries.get(id);
      if (fact !== undefined) return fact;
      if (presumedAbsent.has(id)) return null;
      const own = recallDelivery(id);
      if (own === undefined) wanted.deliveries.add(id);
      return own;
    },
    notification(id) {
      const fact = notifications.get(id);
      if (fact !== undefined) return fact;
      if (presumesNew) return null;
      const own = recallNotification(id);
      if (own === undefined) wanted.notifications.add(id);
      return own;
    },
    refOf(id) {
      const ref = refs.get(id) ?? ids.push(id) - 1;
      refs.set(id, ref);
      return ref;
    },
    idOf: (ref) => ids[ref] ?? '',
    values: (kind, a, b = '') => ask(kind, a, b)?.values,
    ids: (kind, a, b = '') => ask(kind, a, b)?.ids,
    want(some) {
      for (const id of some) if (!deliveries.has(id) && recallDelivery(id) === undefined) wanted.deliveries.add(id);
    },
    get isComplete() {
      const { questions } = wanted;
      return questions.size + wanted.deliveries.size + wanted.notifications.size === 0 && !wanted.fence;
    },
    missing() {
      const { questions } = wanted;
      if (this.isComplete && store !== null) return null;
      return {
        deliveries: wanted.deliveries,
        notifications: wanted.notifications,
        questions: [...questions.values()],
      };
    },
    enter(found, asked) {
      for (const id of asked.deliveries) deliveries.set(id, null);
      for (const id of asked.notifications) notifications.set(id, null);
      for (const question of asked.questions) answers.set(nameOf(question), { values: [], ids: [] });
      enterFound(found);
      wanted = nothing();
    },
  };
}

function nothing(): {
  readonly deliveries: Set<string>;
  readonly notifications: Set<string>;
  readonly questions: Map<string, Question>;
  fence: boolean;
} {
  return { deliveries: new Set(), notifications: new Set(), questions: new Map(), fence: false };
}
