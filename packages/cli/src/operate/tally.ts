/** More different words than a person reads; beyond them they are counted together. */
const MOST_WORDS = 500;
export const OTHERS = '(others)';

export interface CountOf {
  readonly name: string;
  readonly count: number;
}

/** Counts words in bounded memory. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(word: string): void {
    const known = this.#counts.get(word);
    const key = known === undefined && this.#counts.size >= MOST_WORDS ? OTHERS : word;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** The most frequent first. */
  get counts(): readonly CountOf[] {
    return [...this.#counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
  }
}

export interface Refusal {
  readonly reason: string;
  readonly count: number;
  /** The first of them. */
  readonly ids: readonly string[];
}

/** Ids that are kept per reason. */
const MOST_IDS = 100;

/** Counts refusals by their reason, with the first ids of each. */
export class Refusals {
  readonly #of = new Map<string, { count: number; readonly ids: string[] }>();

  add(reason: string, id: string): void {
    const entry = this.#of.get(reason) ?? { count: 0, ids: [] };
    entry.count += 1;
    if (entry.ids.length < MOST_IDS) entry.ids.push(id);
    this.#of.set(reason, entry);
  }

  get list(): readonly Refusal[] {
    return [...this.#of].map(([reason, entry]) => ({ reason, ...entry })).sort((a, b) => b.count - a.count);
  }

  get count(): number {
    return this.list.reduce((sum, { count }) => sum + count, 0);
  }
}
