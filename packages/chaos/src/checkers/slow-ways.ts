import type { Attempts } from './attempts.ts';
import { Column } from './column.ts';
import type { JudgeContext, JudgeKnobs } from './context.ts';
import type { Handlers } from './handlers.ts';
import type { Slots } from './slots.ts';

/**
 * What needs no fault: where the ways to ledger and provider can take longer than a sender waits, an answer may come too late, and a
 * mark too. Whoever gave up before the time was over has no such excuse.
 */
export class SlowWays {
  readonly on: Handlers = {
    mark: ({ request, verdict }, slot) => {
      if (verdict.kind === 'go' && !this.#attempts.isRepeat(slot, request.fence))
        this.#withinMs.set(slot, Math.max(0, verdict.sendWithinMs));
    },
  };
  readonly #knobs: JudgeKnobs;
  readonly #attempts: Attempts;
  /** From the latest mark to its send deadline, which an expiry may bring as near as it likes. */
  readonly #withinMs: Column;

  constructor({ knobs }: JudgeContext, slots: Slots, attempts: Attempts) {
    this.#knobs = knobs;
    this.#attempts = attempts;
    this.#withinMs = new Column('u32', slots.size);
  }

  /** Whether the outcome of the latest attempt may be hidden at `at` though nothing is broken; asked before it is in the books. */
  canHide(slot: number, at: number): boolean {
    const { ledgerWayMs, providerWayMs, sendTimeoutMs } = this.#knobs;
    const waitedMs = at - this.#attempts.lastAt(slot);
    const answerMs = 2 * providerWayMs;
    if (answerMs >= sendTimeoutMs && waitedMs >= sendTimeoutMs) return true;
    // There and back with the mark; and with the outcome, which may have to wait for the one before it.
    const withinMs = this.#withinMs.get(slot);
    const isLong = 4 * ledgerWayMs + answerMs >= withinMs;
    // The deadline is counted from before the mark left.
    return isLong && waitedMs >= withinMs - ledgerWayMs;
  }
}
