/** One message that a provider accepted as new. */
export interface MailboxMessage {
  /** The recipient whose address it arrived at; -1: nobody asked for it. */
  readonly slot: number;
  /** Index in the run's list of providers. */
  readonly provider: number;
  readonly deliveryId: string;
  readonly bodyHash: number;
  readonly at: number;
}

/** What recipients really got: the oracle of a run. Append-only; a million messages in columns. */
export class Mailbox {
  readonly #slots: number[] = [];
  readonly #providers: number[] = [];
  readonly #bodies: number[] = [];
  readonly #times: number[] = [];
  readonly #deliveries: string[] = [];

  get size(): number {
    return this.#slots.length;
  }

  /** Answers the message's index. */
  put(slot: number, provider: number, deliveryId: string, bodyHash: number, at: number): number {
    this.#providers.push(provider);
    this.#bodies.push(bodyHash);
    this.#times.push(at);
    this.#deliveries.push(deliveryId);
    return this.#slots.push(slot) - 1;
  }

  acceptedAt(index: number): number {
    return this.#times[index] as number;
  }

  at(index: number): MailboxMessage {
    return {
      slot: this.#slots[index] as number,
      provider: this.#providers[index] as number,
      deliveryId: this.#deliveries[index] as string,
      bodyHash: this.#bodies[index] as number,
      at: this.#times[index] as number,
    };
  }

  *messages(): Generator<MailboxMessage> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }
}
