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
  #slots: Int32Array;
  #providers: Uint8Array;
  #bodies: Uint32Array;
  #times: Float64Array;
  /** Only where it is not the recipient's first: a million ids would be most of what is kept. */
  readonly #deliveries = new Map<number, string>();

  constructor(expected: number) {
    const room = Math.max(64, expected);
    this.#slots = new Int32Array(room);
    this.#providers = new Uint8Array(room);
    this.#bodies = new Uint32Array(room);
    this.#times = new Float64Array(room);
  }

  get size(): number {
    return this.#size;
  }

  /** Answers the message's index. */
  put(slot: number, provider: number, deliveryId: string | null, bodyHash: number, at: number): number {
    const index = this.#size++;
    if (index >= this.#slots.length) this.#grow();
    this.#slots[index] = slot;
    this.#providers[index] = provider;
    this.#bodies[index] = bodyHash;
    this.#times[index] = at;
    if (deliveryId !== null) this.#deliveries.set(index, deliveryId);
    return index;
  }

  acceptedAt(index: number): number {
    return this.#times[index] as number;
  }

  *messages(): Generator<MailboxMessage> {
    for (let index = 0; index < this.#size; index++)
      yield {
        slot: this.#slots[index] as number,
        provider: this.#providers[index] as number,
        deliveryId: this.#deliveries.get(index) ?? null,
        bodyHash: this.#bodies[index] as number,
        at: this.#times[index] as number,
      };
  }

  #grow(): void {
    this.#slots = doubled(this.#slots, new Int32Array(this.#size * 2));
    this.#providers = doubled(this.#providers, new Uint8Array(this.#size * 2));
    this.#bodies = doubled(this.#bodies, new Uint32Array(this.#size * 2));
    this.#times = doubled(this.#times, new Float64Array(this.#size * 2));
  }
}

function doubled<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
