import { DELIVERY_STATES, isSettled, type DeliveryState } from '@sendonce/core';
import { Column } from './checkers/column.ts';
import { endClass, type RecipientEnd } from './checkers/end-class.ts';
import type { EndFacts, FinalDelivery } from './checkers/facts.ts';
import { CLASSES_OF_END, LISTED_ENDS, type EndClass, type NotSent, type RunResult, type Tally } from './result.ts';

/** What the history (or, without one, the records) says about a recipient; the mailbox alone says how many messages it got. */
export interface Beliefs {
  /** Messages beyond the first that were declared before they could happen. */
  declaredExtras(recipient: number): number;
  /** A delivery of this recipient was believed `unknown` at some time. */
  everUnknown(recipient: number): boolean;
  /** The policy lets an unknown outcome count as sent. */
  mayAssume(recipient: number): boolean;
  /** The store lost its memory in this run. */
  storeForgot(): boolean;
}

/** A recipient whose end is wrong; `recipient` null: messages to nobody, or sums that do not balance. */
export interface Misfit {
  readonly recipient: number | null;
  readonly end: EndClass | null;
  readonly message: string;
  /** It only came to no end. */
  readonly unsettled: boolean;
}

export interface Count {
  /** Recipients in the sums: those of unsealed and forgotten notifications are outside. */
  readonly requested: number;
  readonly tally: Tally;
  /** The first 1,000. */
  readonly misfits: readonly Misfit[];
  /** Recipients of the listed ends; the first 1,000. */
  readonly notSent: RunResult['notSent'];
  /** Null: not requested, or outside the sums. */
  classOf(recipient: number): EndClass | null;
}

const MOST = 1_000;
const KNOWN_SENT: ReadonlySet<DeliveryState> = new Set(['sent', 'delivered', 'bounced', 'undeliverable'] as const);
const LISTED: ReadonlySet<EndClass> = new Set(LISTED_ENDS);

/** Higher wins among a recipient's generations; among equals the later generation. */
function weight({ state, assumed }: FinalDelivery): number {
  if (KNOWN_SENT.has(state)) return assumed ? 3 : 4;
  return isSettled(state) ? 1 : 2;
}
const ASSUMED = 3;

/** Puts each requested recipient into one class. First every delivery, then `finish`, once. */
export class Counter {
  readonly #beliefs: Beliefs;
  readonly #weight: Column;
  readonly #generation: Column;
  readonly #state: Column;
  readonly #parked: Column;
  readonly #messages: Column;
  readonly #class: Column;
  readonly #reasons = new Map<number, Pick<NotSent, 'reason' | 'own'>>();
  readonly #misfits: Misfit[] = [];

  constructor(recipients: number, beliefs: Beliefs) {
    this.#beliefs = beliefs;
    this.#weight = new Column('u8', recipients);
    this.#generation = new Column('u16', recipients);
    this.#state = new Column('u8', recipients);
    this.#parked = new Column('u8', recipients);
    this.#messages = new Column('u16', recipients);
    this.#class = new Column('u8', recipients);
  }

  delivery(delivery: FinalDelivery): void {
    const { recipient, state, generation, reason, attempts } = delivery;
    if (recipient < 0) return;
    if (state === 'parked') this.#parked.set(recipient, 1);
    const its = weight(delivery);
    const best = this.#weight.get(recipient);
    if (its < best || (its === best && generation < this.#generation.get(recipient))) return;
    this.#weight.set(recipient, its);
    this.#generation.set(recipient, generation);
    this.#state.set(recipient, DELIVERY_STATES.indexOf(state));
    const isOwn = state === 'failed' && attempts === 0;
    if (its === 1) this.#reasons.set(recipient, { reason: reason ?? '', ...(isOwn && { own: true as const }) });
  }

  finish(facts: EndFacts): Count {
    const tally = Object.fromEntries(CLASSES_OF_END.map((end) => [end, 0])) as Record<EndClass, number>;
    const notSent: NotSent[] = [];
    let toNobody = this.#readMailbox(facts);
    let requested = 0;
    let outside = 0;
    for (const recipient of facts.requested) {
      const { end, wrong, unsettled = false } = this.#end(recipient, facts);
      if (end === null) {
        outside += 1;
        continue;
      }
      requested += 1;
      // Listed twice: the sums will say so.
      if (this.#class.get(recipient) > 0) continue;
      this.#class.set(recipient, CLASSES_OF_END.indexOf(end) + 1);
      tally[end] += 1;
      toNobody -= this.#messages.get(recipient);
      if (wrong !== null) this.#misfit({ recipient, end, message: wrong, unsettled });
      if (LISTED.has(end) && notSent.length < MOST)
        notSent.push({ recipient: `r${recipient}`, state: end, ...this.#reasonOf(recipient, wrong) });
    }
    tally.phantom = toNobody;
    if (toNobody > 0) this.#misfit(aboutNobody('phantom', `${toNobody} messages arrived that nobody had asked for`));
    for (const message of imbalances(tally, { requested, outside, input: facts.input }))
      this.#misfit(aboutNobody(null, message));
    const classOf = (recipient: number): EndClass | null => CLASSES_OF_END[this.#class.get(recipient) - 1] ?? null;
    return { requested, tally, misfits: this.#misfits, notSent, classOf };
  }

  /** How many messages there are. */
  #readMailbox({ mailbox }: EndFacts): number {
    let all = 0;
    for (const { recipient } of mailbox) {
      all += 1;
      if (recipient >= 0) this.#messages.add(recipient, 1);
    }
    return all;
  }

  /** What is wrong says more than why an earlier generation gave up. */
  #reasonOf(recipient: number, wrong: string | null): Pick<NotSent, 'reason' | 'own'> {
    if (wrong !== null) return { reason: wrong };
    return this.#reasons.get(recipient) ?? { reason: 'its notification failed' };
  }

  #end(recipient: number, facts: EndFacts): RecipientEnd {
    const its = this.#weight.get(recipient);
    return endClass({
      messages: this.#messages.get(recipient),
      declaredExtras: this.#beliefs.declaredExtras(recipient),
      state: its === 0 ? null : (DELIVERY_STATES[this.#state.get(recipient)] ?? null),
      assumed: its === ASSUMED,
      mayAssume: this.#beliefs.mayAssume(recipient),
      everUnknown: this.#beliefs.everUnknown(recipient),
      storeForgot: this.#beliefs.storeForgot(),
      anyParked: this.#parked.get(recipient) === 1,
      notMade: its === 0 ? facts.notMade(recipient) : null,
    });
  }

  #misfit(misfit: Misfit): void {
    if (this.#misfits.length < MOST) this.#misfits.push(misfit);
  }
}

function aboutNobody(end: EndClass | null, message: string): Misfit {
  return { recipient: null, end, message, unsettled: false };
}

/** Counts a finished run without a judge: for runs whose history lies elsewhere. */
export function count(facts: EndFacts, beliefs: Beliefs, recipients: number): Count {
  const counter = new Counter(recipients, beliefs);
  for (const delivery of facts.deliveries) counter.delivery(delivery);
  return counter.finish(facts);
}

export interface Sums {
  readonly requested: number;
  readonly outside: number;
  readonly input: EndFacts['input'];
}

/** Which sums do not balance, in sentences. */
export function imbalances(tally: Tally, { requested, outside, input }: Sums): string[] {
  const wrong: string[] = [];
  const counted = CLASSES_OF_END.reduce((sum, end) => (end === 'phantom' ? sum : sum + tally[end]), 0);
  if (counted !== requested) wrong.push(`${requested} recipients were requested, and the classes add up to ${counted}`);
  if (input === null) return wrong;
  const rows = requested + outside + input.merged + input.invalid;
  if (rows !== input.rows)
    wrong.push(
      `${input.rows} rows came in, and ${requested} requested + ${outside} outside the sums + ${input.merged} merged + ${input.invalid} invalid make ${rows}`,
    );
  return wrong;
}
