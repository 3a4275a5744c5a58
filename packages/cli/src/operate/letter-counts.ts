import type { DeliveryRecord } from '@sendonce/core';
import { AGE_GROUPS, ageGroup } from './age-group.ts';
import { reasonGroup } from './reason-group.ts';
import { Tally, type CountOf } from './tally.ts';

/** Dead letters, counted by what they have in common. */
export interface CountsOfLetters {
  readonly state: readonly CountOf[];
  readonly reason: readonly CountOf[];
  readonly provider: readonly CountOf[];
  readonly channel: readonly CountOf[];
  readonly type: readonly CountOf[];
  readonly tenant: readonly CountOf[];
  readonly age: readonly CountOf[];
}

export class LetterCounts {
  readonly #state = new Tally();
  readonly #reason = new Tally();
  readonly #provider = new Tally();
  readonly #channel = new Tally();
  readonly #type = new Tally();
  readonly #tenant = new Tally();
  readonly #age = new Tally();

  add(record: DeliveryRecord, now: number): void {
    this.#state.add(record.state);
    this.#reason.add(reasonGroup(record.reason));
    this.#provider.add(record.provider);
    this.#channel.add(record.target.channel);
    this.#type.add(record.type);
    this.#tenant.add(record.tenant);
    this.#age.add(ageGroup(now - (record.settledAt ?? record.updatedAt)));
  }

  get counts(): CountsOfLetters {
    const order: readonly string[] = AGE_GROUPS;
    return {
      state: this.#state.counts,
      reason: this.#reason.counts,
      provider: this.#provider.counts,
      channel: this.#channel.counts,
      type: this.#type.counts,
      tenant: this.#tenant.counts,
      age: [...this.#age.counts].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)),
    };
  }
}
