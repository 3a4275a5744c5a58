/** A stretch of virtual time, ms. */
export interface Stretch {
  readonly from: number;
  readonly until: number;
}

/** Keeps the stretches in which at least one whole path worked: a live worker that reaches the ledger and a provider. */
export class Paths {
  readonly #stretches: Stretch[] = [];
  #openSince: number | null = null;

  /** Call it whenever something began or ended that a path depends on. */
  note(now: number, isHealthy: boolean): void {
    if (isHealthy) this.#openSince ??= now;
    else this.#close(now);
  }

  /** All stretches, the last one up to now. */
  upTo(now: number): readonly Stretch[] {
    if (this.#openSince === null) return this.#stretches;
    return [...this.#stretches, { from: this.#openSince, until: now }];
  }

  #close(now: number): void {
    if (this.#openSince !== null && now > this.#openSince) this.#stretches.push({ from: this.#openSince, until: now });
    this.#openSince = null;
  }
}
