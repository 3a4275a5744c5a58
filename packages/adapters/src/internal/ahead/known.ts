import type { Ref } from '@sendonce/core/records';
import type { DeliveryFact, Found, NotificationFact, StoreFact } from './facts.ts';
import { ASKED, type Asked, type Question, type Wanted } from './questions.ts';

/** Values of an answer. */
export interface Answer {
  readonly x: string;
  readonly y: string;
}

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
  /** What was missing since the last `enter`; null: nothing. */
  missing(): Wanted | null;
  /** What was found for `wanted`. */
  enter(found: Found, wanted: Wanted): void;
  /** Records that cannot be read. */
  readonly damaged: { readonly deliveries: ReadonlySet<string>; readonly notifications: ReadonlySet<string> };
}

const nameOf = ({ kind, a, b }: Question): string => `${kind}\u001e${a}\u001e${b}`;

/** `presumedAbsent`: deliveries that are new as a rule. Where one is not, its insert fails, and the call begins again without presuming. */
export function known(presumedAbsent: ReadonlySet<string> = new Set()): Known {
  let store: StoreFact | null = null;
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
    if (answer === undefined) wanted.questions.set(name, question);
    return answer;
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
      const answer = answers.get(nameOf({ kind, a, b }));
      if (ASKED[kind] === 'values') answer?.values.push({ x, y });
      else answer?.ids.push(x);
    }
  }

  return {
    get store() {
      return store;
    },
    damaged,
    delivery(id) {
      const fact = deliveries.get(id);
      if (fact === undefined && presumedAbsent.has(id)) return null;
      if (fact === undefined) wanted.deliveries.add(id);
      return fact;
    },
    notification(id) {
      const fact = notifications.get(id);
      if (fact === undefined) wanted.notifications.add(id);
      return fact;
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
      for (const id of some) if (!deliveries.has(id)) wanted.deliveries.add(id);
    },
    missing() {
      const { questions } = wanted;
      const isNothing = questions.size + wanted.deliveries.size + wanted.notifications.size === 0;
      return isNothing && store !== null ? null : { ...wanted, questions: [...questions.values()] };
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
} {
  return { deliveries: new Set(), notifications: new Set(), questions: new Map() };
}
