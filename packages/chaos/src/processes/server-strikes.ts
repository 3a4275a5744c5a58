import { harnessFailed } from './harness-failed.ts';
import { isSame, type ServerFault, type ServerStrike } from './server-faults.ts';
import type { ServerFaults } from './types.ts';

/** A client takes so long at most to find a server that is back, ms. */
const FOUND_AGAIN_MS = 5_000;

export interface ServerStrikesParts {
  readonly serverFaults: ServerFaults;
  /** On the clock of the run. */
  readonly now: () => number;
  /** The ledger forgot what was to be sent, and nobody else knows: its producer says it again. */
  readonly publishAgain: () => Promise<void>;
}

/** Strikes the servers of a run, and knows what came of it. */
export class ServerStrikes {
  readonly done: ServerStrike[] = [];
  readonly #parts: ServerStrikesParts;
  #last: Promise<void> = Promise.resolve();
  /** Host ms: by then the ledger's server is back and has been found again. */
  #awayUntil = 0;

  constructor(parts: ServerStrikesParts) {
    this.#parts = parts;
  }

  /** In the order of the faults. */
  get struck(): readonly boolean[] {
    return this.#parts.serverFaults.faults.map((fault) => this.done.some((strike) => isSame(strike, fault)));
  }

  /** Whether the ledger may be out of reach just now, by what was done to its server. */
  get mayLedgerBeAway(): boolean {
    return performance.now() < this.#awayUntil;
  }

  /** What is to strike at this acceptance. One after the other: a server that is being struck, or is away, cannot be struck. */
  at(acceptance: number): readonly Promise<void>[] {
    const { faults } = this.#parts.serverFaults;
    return faults
      .filter((fault) => fault.acceptance === acceptance)
      .map((fault) => {
        const strike = this.#last.then(() => this.#carryOut(fault));
        this.#last = strike.catch(() => {});
        return strike;
      });
  }

  async #carryOut(fault: ServerFault): Promise<void> {
    const { serverFaults, now, publishAgain } = this.#parts;
    const startedAt = now();
    const isLedger = fault.server === 'ledger';
    if (isLedger) this.#awayUntil = Infinity;
    try {
      await serverFaults.strike(fault);
    } catch (error) {
      throw harnessFailed(`${fault.do} of the ${fault.server}'s server failed`, error);
    }
    if (isLedger && fault.do === 'wipe') await publishAgain();
    if (isLedger) this.#awayUntil = performance.now() + FOUND_AGAIN_MS;
    this.done.push({ ...fault, startedAt, at: now() });
  }
}
