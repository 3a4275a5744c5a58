import { memoryLedger, type AmnesiaReport, type MemoryLedger } from '@sendonce/core/memory';
import { storeClock } from '../kernel/clock.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Knobs } from './knobs.ts';

const FEW = 50_000;
const NEVER_MS = 1e12;

export interface StoreOptions {
  /** About how many deliveries there will be. */
  readonly deliveries: number;
  /** The longest amnesia that the plan has; 0: none. Keeping what it needs costs memory. */
  readonly undoMs: number;
}

/** The ledger's own process: it may be down, and it may forget. */
export class Store {
  readonly ledger: MemoryLedger;
  /** Answers nobody before this virtual time. */
  downUntil = 0;
  /** When a producer was last promised something. */
  producedAt = 0;
  readonly #kernel: Kernel;
  readonly #knobs: Knobs;

  constructor(kernel: Kernel, knobs: Knobs, { deliveries, undoMs }: StoreOptions) {
    this.#kernel = kernel;
    this.#knobs = knobs;
    this.ledger = memoryLedger({
      clock: storeClock(kernel),
      journal: false,
      undoMs,
      // Compact records save memory and cost time: worth it only where there are many.
      ...(deliveries > FEW ? {} : { compactAfterMs: NEVER_MS }),
    });
  }

  get isDown(): boolean {
    return this.#kernel.now < this.downUntil;
  }

  down(ms: number): void {
    this.downUntil = Math.max(this.downUntil, this.#kernel.now + ms);
  }

  /**
   * Forgets the writes of the last ms and the given deliveries. A store that forgets what it told a producer has lost it, and no
   * protocol brings that back: accepting is taken to be replicated synchronously.
   */
  loseMemory(lastMs: number, evict: readonly string[]): AmnesiaReport {
    const { dispatchMs, visibilityMs } = this.#knobs;
    const sinceProducedMs = Math.max(0, this.#kernel.now - this.producedAt - 1);
    const quarantineMs = dispatchMs + visibilityMs;
    return this.ledger.control.loseMemory({ lastMs: Math.min(lastMs, sinceProducedMs), evict, quarantineMs });
  }
}
