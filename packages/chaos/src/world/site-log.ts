import { repliedIds, requestedIds, requestedNumbers } from '../faults/carried.ts';
import type { Op } from '../faults/ops.ts';
import type { Call } from '../kernel/call.ts';
import type { Registry } from './registry.ts';

/** Where a fault could have been addressed in a run: `entity` made or carried `count` calls of `op`. */
export interface SiteCount {
  readonly op: Op;
  readonly entity: string;
  readonly count: number;
}

/** Counts every place at which a plan could strike. */
export class SiteLog {
  readonly #counts = new Map<string, number>();
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  look(call: Call): void {
    const op = call.site.op as Op;
    this.#count(op, call.life.process.name);
    const provider = (call.args as { readonly provider?: { readonly setup: { readonly entity: string } } } | null)
      ?.provider;
    if (provider !== undefined) this.#count(op, provider.setup.entity);
    for (const number of new Set(requestedNumbers(op, call.args))) this.#count(op, `r${number}`);
    const ids = requestedIds(op, call.args);
    if (ids !== null) return this.#countAll(op, ids);
    call.addAfter(({ answer }) => {
      if (answer?.kind === 'value') this.#countAll(op, repliedIds(op, answer.value));
    });
  }

  list(): readonly SiteCount[] {
    return [...this.#counts].map(([key, count]) => {
      const [op, entity] = key.split(' ') as [Op, string];
      return { op, entity, count };
    });
  }

  #countAll(op: Op, ids: readonly string[]): void {
    const slots = new Set(ids.map((id) => this.#registry.slotOfDelivery(id)));
    for (const slot of slots) if (slot >= 0) this.#count(op, `r${this.#registry.numberOf(slot)}`);
  }

  #count(op: Op, entity: string): void {
    const key = `${op} ${entity}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }
}
