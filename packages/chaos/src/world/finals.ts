import { DELIVERY_STATES, type DeliveryRecord, type DeliveryState } from '@sendonce/core';
import { finalDelivery, type FinalDelivery } from '../checkers/facts.ts';
import { IdColumn } from './id-column.ts';

const FEW = 50_000;
/** recipient, generation, state, assumed, attempts, charged, reason */
const FIELDS = 7;

/** The last states of all deliveries: as objects while they are few, in columns when they are many. */
export class Finals implements Iterable<FinalDelivery> {
  readonly #few: FinalDelivery[] = [];
  readonly #ids = new IdColumn();
  #fields = new Int32Array(0);
  #packed = 0;
  readonly #reasons: (string | null)[] = [null];
  readonly #reasonIndex = new Map<string | null, number>([[null, 0]]);

  add(record: DeliveryRecord, recipient: number): void {
    const final = finalDelivery(record, recipient);
    if (this.#few.length < FEW) this.#few.push(final);
    else this.#pack(final);
  }

  *[Symbol.iterator](): Generator<FinalDelivery> {
    yield* this.#few;
    for (let index = 0; index < this.#packed; index++) yield this.#unpack(index);
  }

  #pack({ id, recipient, generation, state, assumed, attempts, charged, reason }: FinalDelivery): void {
    const at = this.#packed++ * FIELDS;
    if (at + FIELDS > this.#fields.length) this.#grow();
    this.#ids.push(id);
    const row = [
      recipient,
      generation,
      DELIVERY_STATES.indexOf(state),
      Number(assumed),
      attempts,
      charged,
      this.#indexOf(reason),
    ];
    this.#fields.set(row, at);
  }

  #unpack(index: number): FinalDelivery {
    const [recipient = -1, generation = 0, state = 0, assumed = 0, attempts = 0, charged = 0, reason = 0] =
      this.#fields.subarray(index * FIELDS, (index + 1) * FIELDS);
    return {
      id: this.#ids.at(index),
      recipient,
      generation,
      state: DELIVERY_STATES[state] as DeliveryState,
      assumed: assumed === 1,
      attempts,
      charged,
      reason: this.#reasons[reason] ?? null,
    };
  }

  #indexOf(reason: string | null): number {
    const known = this.#reasonIndex.get(reason);
    if (known !== undefined) return known;
    const index = this.#reasons.push(reason) - 1;
    this.#reasonIndex.set(reason, index);
    return index;
  }

  #grow(): void {
    const fields = new Int32Array(Math.max(64 * FIELDS, this.#fields.length * 2));
    fields.set(this.#fields);
    this.#fields = fields;
  }
}
