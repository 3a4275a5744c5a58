import { Column } from '../checkers/column.ts';

/** One message that a provider accepted as new. */
export interface MailboxMessage {
  /** The recipient whose address it arrived at; -1: nobody asked for it. */
  readonly slot: number;
  /** Index in the run's list of providers. */
  readonly provider: number;
  /** The delivery that the sender named; null: the recipient's first one. */
  readonly deliveryId: string | null;
  readonly bodyHash: number;
  readonly at: number;
}

/** What recipients really got: the oracle of a run. Append-only, in columns: there may be a million. */
export class Mailbox {
  #size = 0;
  /** The slot plus one: a column's cell is 0 at first. */
  readonly #slots: Column;
  readonly #providers: Column;
  readonly #bodies: Column;
  readonly #times: Column;
  /** Only where it is not the recipient's first: a million ids would be most of what is kept. */
  readonly #deliveries = new Map<number, string>();

  constructor(expected: number) {
    this.#slots = new Column('u32', expected);
    this.#providers = new Column('u8', expected);
    this.#bodies = new Column('u32', expected);
    this.#times = new Column('f64', expected);
  }

  get size(): number {
    return this.#size;
  }

  /** Answers the message's index. */
  put(slot: number, provider: number, deliveryId: string | null, bodyHash: number, at: number): number {
    const index = this.#size++;
    this.#slots.set(index, slot + 1);
    this.#providers.set(index, provider);
    this.#bodies.set(index, bodyHash);
    this.#times.set(index, at);
    if (deliveryId !== null) this.#deliveries.set(index, deliveryId);
    return index;
  }

  acceptedAt(index: number): number {
    return this.#times.get(index);
  }

  *messages(): Generator<MailboxMessage> {
    for (let index = 0; index < this.#size; index++)
      yield {
        slot: this.#slots.get(index) - 1,
        provider: this.#providers.get(index),
        deliveryId: this.#deliveries.get(index) ?? null,
        bodyHash: this.#bodies.get(index),
        at: this.#times.get(index),
      };
  }
}
