import type { FaultNetwork } from '../faults/fault-network.ts';
import { draw, hashText } from '../kernel/draw.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { partitionOf } from '../kernel/process.ts';
import type { Crew } from './crew.ts';
import type { Emitter } from './emitter.ts';
import type { Knobs } from './knobs.ts';
import { Paths } from './paths.ts';
import type { SimulatedProvider } from './provider.ts';
import type { Store } from './store.ts';

const SURVIVOR = hashText('survivor');
/** Without faults the heal point is at the start, once all processes have begun. */
const HEAL_AT_ONCE_MS = 10;

export interface HealingParts {
  readonly kernel: Kernel;
  readonly knobs: Knobs;
  readonly emitter: Emitter;
  readonly store: Store;
  readonly providers: readonly SimulatedProvider[];
  readonly crew: Crew;
  readonly network: FaultNetwork;
}

/** The heal point: when every fault that fired is over and none will fire any more. And which paths worked meanwhile. */
export class Healing {
  readonly paths = new Paths();
  /** Null until the heal point, virtual ms. */
  at: number | null = null;
  readonly #parts: HealingParts;

  constructor(parts: HealingParts) {
    this.#parts = parts;
  }

  /** When the last fault may fire, after the start of the run. */
  get lastFaultMs(): number {
    const { network, knobs } = this.#parts;
    return network.plan.length === 0 ? HEAL_AT_ONCE_MS : knobs.healMs;
  }

  /** Something began or ended that a path depends on. */
  note(): void {
    this.paths.note(this.#parts.kernel.now, this.#hasPath());
  }

  /** A fault fired, or is over. */
  faultChanged(): void {
    this.note();
    if (this.#parts.network.isSpent) this.heal();
  }

  /** No fault fires from now on. */
  lastFault(): void {
    this.#parts.network.stop();
    if (this.#parts.network.isSpent) this.heal();
  }

  /** All faults are over. A second call does nothing. */
  heal(): void {
    if (this.at !== null) return;
    const { kernel, network, store, providers, crew, emitter } = this.#parts;
    this.at = kernel.now;
    network.stop();
    store.downUntil = 0;
    for (const provider of providers) provider.heal();
    for (const { process } of crew.members) process.partitionedFrom.clear();
    emitter.tell('plan', { kind: 'heal' });
    this.#breakForGood();
    this.note();
  }

  /** Only so many workers stay alive; which ones is drawn from those that are not gone already. */
  #breakForGood(): void {
    const { knobs, kernel, crew } = this.#parts;
    if (knobs.survivors === 0) return;
    const rankOf = (hash: number): number => draw(kernel.seed, SURVIVOR, hash, 0);
    const drawn = crew.workers
      .filter(({ gone }) => !gone)
      .sort((a, b) => rankOf(a.process.hash) - rankOf(b.process.hash));
    for (const { process } of drawn.slice(knobs.survivors)) crew.kill(process, 'broken for ever', null);
  }

  #hasPath(): boolean {
    const { kernel, store, providers, crew } = this.#parts;
    const { now } = kernel;
    if (store.isDown || providers.every((provider) => now < provider.downUntil)) return false;
    return crew.workers.some(
      ({ process }) =>
        process.life !== null && process.pausedUntil <= now && partitionOf(process, 'ledger', now) === null,
    );
  }
}
