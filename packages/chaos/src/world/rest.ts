import { isSettled, type Counts, type DeliveryState, type Ledger } from '@sendonce/core';
import type { Kernel } from '../kernel/kernel.ts';

/** Knows when everything has settled: asked only when somebody looked for work and may have found none. */
export class Rest {
  readonly #kernel: Kernel;
  readonly #ledger: Ledger;
  #seenAt = -1;

  constructor(kernel: Kernel, ledger: Ledger) {
    this.#kernel = kernel;
    this.#ledger = ledger;
  }

  look(): void {
    void this.#ledger.count().then((counts) => {
      if (isAtRest(counts)) this.#seenAt = this.#kernel.now;
    });
  }

  /** All was settled when somebody looked in this very instant. */
  get isNow(): boolean {
    return this.#seenAt === this.#kernel.now;
  }
}

function isAtRest({ deliveries, notifications, unsealed }: Counts): boolean {
  const { accepted, expanding, expanded } = notifications;
  if (accepted > unsealed || expanding > 0 || expanded > 0) return false;
  return Object.entries(deliveries).every(([state, count]) => count === 0 || isSettled(state as DeliveryState));
}
