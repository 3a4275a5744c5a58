import type { CheckerContext } from './checker.ts';

/** Work is noted that often, ms. */
const GRAIN_MS = 1_000;

/** Stretches in which nothing was broken, nobody was at work, and work was there. */
export class Lulls {
  readonly #context: CheckerContext;
  /** Times of marks, in order. */
  readonly #work: number[] = [];

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  worked(at: number): void {
    const last = this.#work.at(-1);
    if (last === undefined || at - last >= GRAIN_MS) this.#work.push(at);
  }

  /**
   * Whether a delivery that was never in doubt could have been sent before it expired. Where nothing broke: nobody was at work for the
   * second half of its life, and for longer than it takes to look for work. After a fault: for longer than it takes to take up what somebody held.
   */
  hadTime(createdAt: number, expiresAt: number): boolean {
    const { takeUpMs, recoverMs } = this.#context.knobs;
    const struck = this.#context.causes.strikes.filter(({ from, until }) => from < expiresAt && until > createdAt);
    const workedAt = this.#work.findLast((at) => at < expiresAt) ?? createdAt;
    const brokenUntil = struck.reduce((until, strike) => Math.max(until, strike.until), createdAt);
    const idleMs = expiresAt - Math.max(createdAt, workedAt + GRAIN_MS, brokenUntil);
    const halfMs = (expiresAt - createdAt) / 2;
    return idleMs > (struck.length === 0 ? Math.max(takeUpMs, halfMs) : Math.max(recoverMs, takeUpMs));
  }
}
