import { isSettled, type Counts, type DeliveryState, type Ledger } from '@sendonce/core';
import type { Kernel } from '../kernel/kernel.ts';

/** Knows when everything has settled: asked only when somebody looked for work and may have found none. */
export class Rest {
  readonly #kernel: Kernel;
  readonly #ledger: Ledger;
  #seenAt = -1;
  /** Counts what happened; a look is worth nothing once something did. */
  #happened = 0;

  constructor(kernel: Kernel, ledger: Ledger) {
    this.#kernel = kernel;
    this.#ledger = ledger;
  }

  look(): void {
    const happened = this.#happened;
    void this.#ledger.count().then((counts) => {
      if (happened === this.#happened && isAtRest(counts)) this.#seenAt = this.#kernel.now;
    });
  }

  /** Something was written or sent, or a fault struck, perhaps in the very instant in which somebody had found everything settled. */
  disturb(): void {
    this.#happened++;
    this.#seenAt = -1;
  }

  /** All was settled when somebody looked in this very instant, and nothing has happened since. */
  get isNow(): boolean {
    return this.#seenAt === this.#kernel.now;
  }
}

function isAtRest({ deliveries, notifications, unsealed }: Counts): boolean {
  const { accepted, expanding, expanded } = notifications;
  if (accepted > unsealed || expanding > 0 || expanded > 0) return false;
  return Object.entries(deliveries).every(([state, count]) => count === 0 || isSettled(state as DeliveryState));
}
