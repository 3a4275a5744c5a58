import type { LookupAnswer, LookupRequest, Outcome, OutgoingMessage, SendContext } from '@sendonce/core';
import { between, draw, hashText, unit } from '../kernel/draw.ts';
import { bodyHash } from './body.ts';
import type { ProviderOutline } from './capabilities.ts';
import type { Mailbox } from './mailbox.ts';
import { TextTable } from './text-table.ts';

const LAG = hashText('lookup lag');
const BROWN = hashText('brown-out');

/** What a fault makes a provider do with one send. */
export type SendScript =
  /** Takes nothing; the caller sees this outcome. */
  | { readonly kind: 'refuse'; readonly outcome: Outcome; readonly reply: string }
  /** Takes the message; the caller sees this outcome. */
  | { readonly kind: 'say'; readonly outcome: Outcome; readonly reply: string }
  /** The adapter throws what it did not map, before or after the provider took the message. */
  | { readonly kind: 'throw'; readonly when: 'before' | 'after' };

/** One send on its way. */
export interface Send {
  readonly provider: SimulatedProvider;
  readonly message: OutgoingMessage;
  readonly context: Pick<SendContext, 'key' | 'attempt' | 'deadlineMs'>;
  /** The recipient's slot by the delivery that the sender names; -1: none. */
  readonly slot: number;
  /** How many sends this recipient has had before. */
  readonly nth: number;
  script: SendScript | null;
}

/** What became of a send at the provider's side. */
export interface Arrival {
  /** The recipient whose mailbox it is about. */
  readonly slot: number;
  readonly what: 'accepted' | 'same' | 'refused';
  readonly providerMessageId: string | null;
  readonly bodyHash: number;
  readonly reply: string;
  /** What a right adapter makes of a refusal; null: it took the message. */
  readonly refusal: Outcome | null;
}

export interface ProviderSetup extends ProviderOutline {
  /** Index in the run's list of providers. */
  readonly index: number;
  readonly seed: number;
  readonly mailbox: Mailbox;
  readonly now: () => number;
  /** Whose mailbox a message lands in; `named` is the recipient of the delivery that its sender names. */
  readonly slotOf: (named: number, to: string) => number;
  /** Whether this is the first delivery of the recipient. */
  readonly isFirst: (deliveryId: string, slot: number) => boolean;
}

/** A provider's side: its memory of keys, its view of its own messages, and the mailbox that it delivers to. */
export class SimulatedProvider {
  readonly setup: ProviderSetup;
  /** Refuses connections before this virtual time. */
  downUntil = 0;
  /** Answers this share of sends badly before `until`. */
  brownOut = { until: 0, percent: 0 };
  /** Lookups see nothing younger than the settle time before this virtual time. */
  laggingUntil = 0;
  #keys = new TextTable(64);
  #lastOf = new TextTable(64);
  /** By message of this provider: its index in the mailbox. */
  readonly #messages: number[] = [];
  readonly #idPrefix: string;

  constructor(setup: ProviderSetup) {
    this.setup = setup;
    this.#idPrefix = `${setup.name}-m`;
  }

  get name(): string {
    return this.setup.name;
  }

  /** Forgets what only a running world needs. */
  retire(): void {
    this.#keys = new TextTable(0);
    this.#lastOf = new TextTable(0);
  }

  /** What is wrong with it is over. */
  heal(): void {
    this.downUntil = 0;
    this.brownOut = { until: 0, percent: 0 };
    this.laggingUntil = 0;
  }

  /** A complete request arrived. Answers what the adapter makes of the reply, and what happened; null: it never got this far. */
  receive(send: Send): { readonly outcome: Outcome; readonly arrival: Arrival | null } {
    if (this.setup.now() < this.downUntil)
      return { outcome: { kind: 'not-sent', reason: 'connection refused' }, arrival: null };
    const script = this.#checked(send) ?? send.script ?? this.#brownOutScript(send);
    if (script === null) return this.#take(send);
    switch (script.kind) {
      case 'refuse':
        return { outcome: script.outcome, arrival: this.#refused(send, script) };
      case 'say':
        return { outcome: script.outcome, arrival: { ...this.#take(send).arrival, reply: script.reply } };
      case 'throw':
        if (script.when === 'after') throw new AdapterBug(this.#take(send).arrival);
        throw new AdapterBug(null);
    }
  }

  /** What a lookup shows: the last message of the delivery, once it shows at all. */
  find({ deliveryId }: LookupRequest): LookupAnswer {
    const { capabilities, mailbox, now, seed } = this.setup;
    if (now() < this.downUntil) return { kind: 'cannot-tell', reason: 'connection refused' };
    const message = this.#lastOf.get(deliveryId);
    if (message < 0 || capabilities.lookup === 'none') return { kind: 'absent' };
    const { settleMs, horizonMs } = capabilities.lookup;
    const ageMs = now() - mailbox.acceptedAt(this.#messages[message] as number);
    // Half of the settle time is the wire's: a message may be that late and still show in time.
    const mostMs = Math.floor(settleMs / 2);
    const lagMs = now() < this.laggingUntil ? mostMs : between(draw(seed, LAG, this.setup.index, message), 0, mostMs);
    return ageMs < lagMs || ageMs > horizonMs
      ? { kind: 'absent' }
      : { kind: 'found', providerMessageId: this.#idOf(message) };
  }

  /** What the adapter sees by itself goes nowhere, whatever the provider would have said. */
  #checked({ message }: Send): SendScript | null {
    const outcome = this.setup.check?.(message) ?? null;
    return outcome === null ? null : { kind: 'refuse', outcome, reply: 'checked' };
  }

  #take(send: Send): { readonly outcome: Outcome; readonly arrival: Arrival } {
    const { message, context } = send;
    const { deliveryId } = message;
    const { mailbox, now, index, slotOf, isFirst } = this.setup;
    const slot = slotOf(send.slot, message.to);
    const hash = bodyHash(message.content);
    const known = this.#remembered(context.key);
    const isNew = known < 0;
    const named = isFirst(deliveryId, slot) ? null : deliveryId;
    const taken = isNew ? this.#messages.push(mailbox.put(slot, index, named, hash, now())) - 1 : known;
    if (isNew) this.#remember(context.key, deliveryId, taken);
    const providerMessageId = this.#idOf(taken);
    return {
      outcome: { kind: 'accepted', providerMessageId },
      arrival: {
        slot,
        what: isNew ? 'accepted' : 'same',
        providerMessageId,
        bodyHash: hash,
        reply: 'accepted',
        refusal: null,
      },
    };
  }

  #refused({ message, slot }: Send, { reply, outcome }: Extract<SendScript, { kind: 'refuse' }>): Arrival {
    const hash = bodyHash(message.content);
    return { slot, what: 'refused', providerMessageId: null, bodyHash: hash, reply, refusal: outcome };
  }

  /** The message that this key stands for, while the provider remembers it; -1. */
  #remembered(key: string): number {
    const { idempotency } = this.setup.capabilities;
    if (idempotency.kind === 'none') return -1;
    const message = this.#keys.get(key);
    if (message < 0) return -1;
    const ageMs = this.setup.now() - this.setup.mailbox.acceptedAt(this.#messages[message] as number);
    return ageMs < idempotency.windowMs ? message : -1;
  }

  #remember(key: string, deliveryId: string, message: number): void {
    const { idempotency, lookup } = this.setup.capabilities;
    if (idempotency.kind !== 'none') this.#keys.set(key, message);
    if (lookup !== 'none') this.#lastOf.set(deliveryId, message);
  }

  #brownOutScript({ slot, nth }: Send): SendScript | null {
    if (this.setup.now() >= this.brownOut.until) return null;
    const bits = draw(this.setup.seed, BROWN, slot, nth);
    if (unit(bits) * 100 >= this.brownOut.percent) return null;
    if ((bits & 1) === 0)
      return { kind: 'refuse', outcome: { kind: 'deferred', reason: '503, not processed' }, reply: '503' };
    return { kind: 'say', outcome: { kind: 'unknown', reason: '502 from a gateway' }, reply: '502' };
  }

  #idOf(message: number): string {
    return this.#idPrefix + message;
  }
}

/** What an adapter throws that maps an answer to nothing. */
export class AdapterBug extends Error {
  readonly arrival: Arrival | null;

  constructor(arrival: Arrival | null) {
    super("Cannot read properties of undefined (reading 'id')");
    this.arrival = arrival;
  }
}
