import type { Entry, Instant } from './agenda.ts';
import type { Life } from './process.ts';
import type { Answer, Site } from './site.ts';

/** What carries calls: the wire. */
export interface Carrier {
  /** The request has come to the other side. */
  arrive<Args, Result>(call: Call<Args, Result>): void;
  /** The reply has come back. */
  deliver<Args, Result>(call: Call<Args, Result>): void;
}

/** Run when a call has been applied, before its reply leaves; may change the answer and what follows. */
export type AfterHook = (call: Call) => void | Promise<void>;

/**
 * One call of a port, in four moments: requested (the caller asks), applied (it takes effect at the other side), replied, observed
 * (the caller goes on). Faults sit in the gaps: they set these fields, between the moments.
 */
export class Call<Args = unknown, Result = unknown> implements Entry {
  rank: number;
  cancelled = false;
  instant: Instant | null = null;
  readonly life: Life;
  readonly site: Site<Args, Result>;
  /** A fault may cut the batch before it is applied. */
  args: Args;
  /** Addresses this call's draws. */
  readonly bits: number;
  /** What is on the wire now. */
  carries: 'request' | 'reply' = 'request';
  /** The caller has gone on. */
  observed = false;
  answer: Answer<Result> | null = null;
  /** The request never arrives. */
  requestLost = false;
  /** The reply never arrives. */
  replyLost = false;
  extraRequestMs = 0;
  extraReplyMs = 0;
  /** A second copy of the request is applied this long after the first; null: none. */
  copyAfterMs: number | null = null;
  /** The caller gives up after this, whatever the site says; null: as the site says. */
  givesUpAfterMs: number | null = null;
  /** Somebody will let the caller give up. */
  watched = false;
  /** Must come to its end before the request leaves. */
  before: Promise<void> | null = null;
  after: AfterHook[] | null = null;
  readonly #carrier: Carrier;
  readonly #resolve: (value: Result) => void;
  readonly #reject: (error: unknown) => void;

  constructor(
    carrier: Carrier,
    life: Life,
    site: Site<Args, Result>,
    args: Args,
    bits: number,
    resolve: (value: Result) => void,
    reject: (error: unknown) => void,
  ) {
    this.#carrier = carrier;
    this.life = life;
    this.site = site;
    this.args = args;
    this.bits = bits;
    this.rank = bits;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  fire(): void {
    if (this.carries === 'request') this.#carrier.arrive(this);
    else this.#carrier.deliver(this);
  }

  /** The way itself answers; the request never arrives. */
  refuse(answer: Answer<Result>): void {
    this.answer = answer;
  }

  addAfter(hook: AfterHook): void {
    (this.after ??= []).push(hook);
  }

  /** The caller goes on; only the first time counts. */
  observe(answer: Answer<Result>): void {
    if (this.observed) return;
    this.observed = true;
    if (answer.kind === 'value') this.#resolve(answer.value);
    else this.#reject(answer.error);
  }
}
