import type { EventOf } from '../history.ts';
import type { Column } from './column.ts';

/**
 * What each worker holds: claimed by it, and neither marked nor given back. A worker that lost something to another through the end of a
 * lease may not know that yet.
 */
export class Hands {
  readonly #owners = new Map<string, number>();
  /** One more than the owner's number; 0: nobody's. */
  readonly #holder: Column;
  readonly #counts: number[] = [];
  readonly #losers = new Set<number>();

  constructor(holder: Column) {
    this.#holder = holder;
  }

  claimed({ owner, verdict }: EventOf<'claim'>, slot: number): void {
    if (verdict.kind !== 'granted' || slot < 0) return;
    const number = this.#numberOf(owner);
    const before = this.#holder.get(slot) - 1;
    if (before === number) return;
    if (before >= 0) this.#losers.add(before);
    this.gone(slot);
    this.#holder.set(slot, number + 1);
    this.#counts[number]! += 1;
  }

  /** It was marked, given back or settled. */
  gone(slot: number): void {
    const holder = this.#holder.get(slot) - 1;
    if (holder < 0) return;
    this.#holder.set(slot, 0);
    this.#counts[holder]! -= 1;
  }

  /** How many its holder holds; Infinity: it may take itself to hold more. */
  heldBeside(slot: number): number {
    const holder = this.#holder.get(slot) - 1;
    if (holder < 0 || this.#losers.has(holder)) return Infinity;
    return this.#counts[holder]!;
  }

  #numberOf(owner: string): number {
    const known = this.#owners.get(owner);
    if (known !== undefined) return known;
    const number = this.#owners.size;
    this.#owners.set(owner, number);
    this.#counts.push(0);
    return number;
  }
}
