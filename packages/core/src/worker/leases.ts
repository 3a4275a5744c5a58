import type { Context } from '../stages/context.ts';

/** What this worker holds and has not marked. One timer renews them all; a lease that cannot be renewed is dropped. */
export class Leases {
  readonly #context: Context;
  readonly #held = new Map<string, number>();

  constructor(context: Context) {
    this.#context = context;
  }

  hold(id: string, fence: number): void {
    this.#held.set(id, fence);
  }

  /** Renews this grant no more; a later one of the same id is another. */
  drop(id: string, fence: number): void {
    if (this.holds(id, fence)) this.#held.delete(id);
  }

  /** False once a renewal was refused: the work is somebody else's. */
  holds(id: string, fence: number): boolean {
    return this.#held.get(id) === fence;
  }

  async renew(): Promise<void> {
    if (this.#held.size === 0) return;
    const held = [...this.#held].map(([id, fence]) => ({ id, fence }));
    const verdicts = await this.#context.ledger.renew(held, this.#context.settings.worker.leaseMs);
    verdicts.forEach((verdict, at) => {
      const lease = held[at];
      if (verdict.kind !== 'ok' && lease !== undefined) this.drop(lease.id, lease.fence);
    });
  }
}
