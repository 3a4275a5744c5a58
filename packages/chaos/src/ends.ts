import type { Ends, EndLine, EndReason } from './report/types.ts';
import { LISTED_ENDS, type RunResult } from './result.ts';
import type { Seen } from './search/seen.ts';

/** Lines kept over all schedules; whoever is beyond them is counted. */
const MOST_LINES = 10_000;

interface Sum {
  readonly state: string;
  readonly reason: string;
  readonly own: boolean;
  count: number;
  schedules: number;
  readonly faults: Map<string, number>;
}

/** Adds up over the schedules of a search who got nothing and why: a schedule itself is forgotten once it has been counted. */
export class EndsOfSchedules {
  readonly #sums = new Map<string, Sum>();
  readonly #lines: EndLine[] = [];
  #leftOut = 0;
  #schedules = 0;
  #outside: Ends['outside'] = { recipients: 0, schedules: 0, producerGone: 0, forgotten: 0 };

  /** `expected`: how many there were to write to; null: whomever the types of a config reach. */
  saw({ result, people }: Pick<Seen, 'result' | 'people'>, expected: number | null): void {
    this.#schedules += 1;
    const fired = new Set(result.faults.filter((_, i) => result.fired[i] === true).map((fault) => fault.do));
    const here = new Map<string, number>();
    for (const [at, { recipient, state, reason, own = false }] of result.notSent.entries()) {
      const key = keyOf(state, reason, own);
      here.set(key, (here.get(key) ?? 0) + 1);
      const { to = null, id = null } = people[at] ?? {};
      this.#line({ kind: state, schedule: this.#schedules, seed: result.seed, recipient: id ?? recipient, to, reason });
    }
    for (const [state, reason, more] of beyond(result)) {
      here.set(keyOf(state, reason, false), more);
      this.#leftOut += more;
    }
    for (const [key, count] of here) this.#add(key, count, fired);
    for (const each of result.unsealed)
      this.#line({ kind: 'unsealed', schedule: this.#schedules, seed: result.seed, ...each });
    this.#addOutside(result, { expected, hasForgotten: fired.has('amnesia') });
  }

  #addOutside(
    { requested, unsealed }: RunResult,
    { expected, hasForgotten }: { readonly expected: number | null; readonly hasForgotten: boolean },
  ): void {
    const missing = expected === null ? 0 : Math.max(0, expected - requested);
    if (missing === 0 && unsealed.length === 0) return;
    const forgotten = unsealed.length === 0 && hasForgotten ? 1 : 0;
    const before = this.#outside;
    this.#outside = {
      recipients: before.recipients + missing,
      schedules: before.schedules + 1,
      producerGone: before.producerGone + 1 - forgotten,
      forgotten: before.forgotten + forgotten,
    };
  }

  #line(line: EndLine): void {
    if (this.#lines.length < MOST_LINES) this.#lines.push(line);
    else this.#leftOut += 1;
  }

  #add(key: string, count: number, fired: ReadonlySet<string>): void {
    const [state, reason, own] = JSON.parse(key) as [string, string, boolean];
    const fresh = { state, reason, own, count: 0, schedules: 0, faults: new Map<string, number>() };
    const sum = this.#sums.get(key) ?? fresh;
    sum.count += count;
    sum.schedules += 1;
    // What fired beside the config's own failure is not why.
    for (const kind of own ? [] : fired) sum.faults.set(kind, (sum.faults.get(kind) ?? 0) + 1);
    this.#sums.set(key, sum);
  }

  /** The most frequent reason first. */
  summary(): Ends {
    const reasons = [...this.#sums.values()]
      .sort((a, b) => b.count - a.count)
      .map(({ faults, own, ...sum }): EndReason => ({ ...sum, faults: inOrder(faults), ...(own && { own }) }));
    return { reasons, outside: this.#outside, lines: this.#lines, leftOut: this.#leftOut };
  }
}

function keyOf(state: string, reason: string, own: boolean): string {
  return JSON.stringify([state, reason, own]);
}

/** Those whom the list of one schedule has no room for. */
function beyond({ tally, notSent }: RunResult): (readonly [state: string, reason: string, more: number])[] {
  return LISTED_ENDS.flatMap((end) => {
    const more = tally[end] - notSent.filter(({ state }) => state === end).length;
    return more > 0 ? [[end, 'beyond the first 1,000 of a schedule, whose reasons are kept', more] as const] : [];
  });
}

function inOrder(faults: ReadonlyMap<string, number>): EndReason['faults'] {
  return [...faults].sort(([, a], [, b]) => b - a).map(([kind, schedules]) => ({ kind, schedules }));
}
