import type { Held } from './orders.ts';
import type { CountedStrike } from './strikes.ts';

/** What becomes of a message that was taken and whose answer waits. */
export type HeldDecision =
  | { readonly kind: 'answer' }
  /** Whoever waited for it was dead already: hold the next one instead. */
  | { readonly kind: 'another' }
  /** Answered; the strike comes at a later point of this delivery. */
  | { readonly kind: 'answer-then-strike'; readonly counted: CountedStrike }
  | { readonly kind: 'kill'; readonly counted: CountedStrike };

/** Which kill, addressed by a count, an acceptance is for. */
export class HeldAnswers {
  readonly #meant: ReadonlyMap<number, CountedStrike>;
  /** Whose own acceptance nobody waited for any more: they take the next one that is held back. */
  readonly #displaced: CountedStrike[] = [];

  constructor(counted: readonly CountedStrike[]) {
    this.#meant = new Map(counted.map((strike) => [strike.acceptance, strike]));
  }

  /** Call it once for each. `isAwaited`: its worker lives, and nobody has struck it. */
  decide({ acceptance }: Pick<Held, 'acceptance'>, isAwaited: boolean): HeldDecision {
    const counted = this.#meant.get(acceptance) ?? this.#displaced.shift();
    if (counted === undefined) return { kind: 'answer' };
    if (!isAwaited) {
      this.#displaced.push(counted);
      return { kind: 'another' };
    }
    return { kind: counted.moment === 'after-accept' ? 'kill' : 'answer-then-strike', counted };
  }
}
