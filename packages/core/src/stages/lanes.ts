import type { Clock } from '../ports/clock.ts';
import { onAbort, whileAny } from './on-abort.ts';
import { settledSoon } from './thenable.ts';

/** What one call of a type's function came to. */
export interface Answer {
  /** The function's own objects that it was copied from, where other calls may have changed them meanwhile. */
  readonly from: readonly object[];
}

export type Ask<A> = () => A | Promise<A>;

export interface AskOptions<A> {
  readonly clock: Clock;
  /** How long one call may take, ms. One that takes longer goes on unheard: one hung call must not keep its batch. */
  readonly limitMs: number;
  /** What a call that is late has come to. */
  readonly late: A;
  /** Ends the waiting: what has not answered by then is late. */
  readonly signal: AbortSignal;
}

/** A batch that waits for its turn. */
interface InLine<A> {
  readonly asks: readonly Ask<A>[];
  readonly options: AskOptions<A>;
  readonly answer: (answers: readonly A[]) => void;
}

/**
 * The calls of one function. A function that awaits something and then fills an object that it keeps is right when it is asked once at a
 * time, and gives people what is meant for others when two of its calls overlap. So calls overlap only within a batch, what they return
 * is compared before any of it is used, and a function that returned one object twice is asked again, and from then on, one call at a
 * time. What lines up meanwhile is one batch: nobody waits for more than two.
 */
class Lane<A extends Answer> {
  #isTaken = false;
  readonly #line = new Set<InLine<A>>();
  #isShared = false;
  readonly #onShared: () => void;

  constructor(onShared: () => void) {
    this.#onShared = onShared;
  }

  async askAll(asks: readonly Ask<A>[], options: AskOptions<A>): Promise<readonly A[]> {
    if (this.#isTaken) return this.#lineUp(asks, options);
    if (this.#isShared) return this.#alone(() => inTurn(asks, options));
    const begun: A[] = [];
    for (const ask of asks) {
      const answer = ask();
      if (answer instanceof Promise) return this.#alone(() => this.#sideBySide(asks, begun, answer, options));
      // Copied before anybody else is asked. Most functions are like this; a promise each would be most of a batch's cost.
      begun.push(answer);
    }
    return begun;
  }

  #lineUp(asks: readonly Ask<A>[], options: AskOptions<A>): Promise<readonly A[]> {
    return new Promise((resolve) => {
      const entry: InLine<A> = {
        asks,
        options,
        answer: (answers) => {
          forget();
          resolve(answers);
        },
      };
      this.#line.add(entry);
      // Whoever lined up is not asked any more, and whoever is being asked does not wait for the others of its batch.
      const forget = onAbort(options.signal, () => {
        this.#line.delete(entry);
        resolve(asks.map(() => options.late));
      });
    });
  }

  async #alone(work: () => Promise<readonly A[]>): Promise<readonly A[]> {
    this.#isTaken = true;
    try {
      return await work();
    } finally {
      this.#isTaken = false;
      this.#next();
    }
  }

  #next(): void {
    if (this.#line.size === 0) return;
    const line = [...this.#line];
    this.#line.clear();
    void this.#askTogether(line);
  }

  /** All that lined up, as one batch. Its calls reject never. */
  async #askTogether(line: readonly InLine<A>[]): Promise<void> {
    const { late, ...options } = line[0]!.options;
    const all = line.flatMap(({ asks }) => asks);
    const answers = await whileAny(
      line.map((each) => each.options.signal),
      (signal) => this.askAll(all, { ...options, late, signal }),
    );
    let from = 0;
    for (const { asks, options: own, answer } of line) {
      answer(answers.slice(from, (from += asks.length)).map((each) => (each === late ? own.late : each)));
    }
  }

  async #sideBySide(
    asks: readonly Ask<A>[],
    before: readonly A[],
    first: Promise<A>,
    options: AskOptions<A>,
  ): Promise<readonly A[]> {
    const begun: (A | Promise<A>)[] = [...before];
    let isWaiting = false;
    for (let answer: A | Promise<A> | undefined = first; answer !== undefined; answer = asks[begun.length]?.()) {
      const isThere = answer instanceof Promise ? await settledSoon(answer) : true;
      // Nobody was being asked beside it: nobody changed what it was copied from.
      begun.push(isThere && !isWaiting ? { ...(await answer), from: [] } : answer);
      isWaiting ||= !isThere;
    }
    const answers = await answered(begun, options);
    const shared = sharing(answers);
    if (shared.size === 0) return answers;
    this.#isShared = true;
    this.#onShared();
    const again = await inTurn(
      asks.filter((_, at) => shared.has(at)),
      options,
    );
    const next = again.values();
    return answers.map((each, at) => (shared.has(at) ? next.next().value! : each));
  }
}

async function inTurn<A>(asks: readonly Ask<A>[], options: AskOptions<A>): Promise<readonly A[]> {
  const answers: A[] = [];
  for (const ask of asks) answers.push(...(options.signal.aborted ? [options.late] : await answered([ask()], options)));
  return answers;
}

async function answered<A>(
  begun: readonly (A | Promise<A>)[],
  { clock, limitMs, late, signal }: AskOptions<A>,
): Promise<readonly A[]> {
  const done = new AbortController();
  const forget = onAbort(signal, () => done.abort('stopped'));
  const timeUp = clock.sleep(limitMs, done.signal).then(() => late);
  try {
    return await Promise.all(begun.map((each) => (each instanceof Promise ? Promise.race([each, timeUp]) : each)));
  } finally {
    forget();
    done.abort('answered');
  }
}

/** The places of those that have an object in common with another. */
export function sharing(answers: readonly Answer[]): ReadonlySet<number> {
  const owners = new Map<object, number>();
  const shared = new Set<number>();
  answers.forEach(({ from }, at) => {
    for (const object of from) {
      const owner = owners.get(object);
      if (owner === undefined) owners.set(object, at);
      else if (owner !== at) shared.add(owner).add(at);
    }
  });
  return shared;
}

/**
 * A notifier's lanes for one kind of function: one lane per function, whatever types and workers call it. A simulation's processes have
 * a notifier each, so that one that is killed in the middle of a call keeps nobody else's lane.
 */
export class Lanes<A extends Answer> {
  readonly #lanes = new WeakMap<object, Lane<A>>();
  readonly #onShared: (type: string) => void;

  /** `onShared` is called once per function, with a type that it belongs to, when it is found to share objects between its calls. */
  constructor(onShared: (type: string) => void) {
    this.#onShared = onShared;
  }

  /** What each call came to, in their order. Asks reject never. */
  async askAll(of: AskedFunction, asks: readonly Ask<A>[], options: AskOptions<A>): Promise<readonly A[]> {
    const lane = this.#lanes.get(of.ask) ?? new Lane<A>(() => this.#onShared(of.type));
    this.#lanes.set(of.ask, lane);
    return lane.askAll(asks, options);
  }
}

export interface AskedFunction {
  readonly type: string;
  readonly ask: object;
}

/** The objects inside a value that can still be changed. */
export function changeable(value: unknown): object[] {
  const seen = new Set<object>();
  const left: unknown[] = [value];
  while (left.length > 0) {
    const each = left.pop();
    if (typeof each !== 'object' || each === null || seen.has(each)) continue;
    seen.add(each);
    left.push(...(insideOf(each) ?? []));
  }
  return [...seen].filter((each) => insideOf(each) === null || !Object.isFrozen(each));
}

/** Null for what cannot be looked at a second time, such as a proxy that throws: it was read once, when it was copied. */
function insideOf(object: object): readonly unknown[] | null {
  try {
    Object.isFrozen(object);
    return Object.values(object) as unknown[];
  } catch {
    return null;
  }
}
