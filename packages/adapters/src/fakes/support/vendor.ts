import type { WireAnswer, WireRequest } from './wire.ts';

/** What a refusal says: of the message, of whom it goes to, of who sends, of the moment, or nothing that is certain. */
export type Meaning =
  | 'permanent-message'
  | 'permanent-destination'
  | 'auth-config'
  | 'rate-limited'
  | 'transient'
  | 'ambiguous'
  /** It was taken before, under the same key. */
  | 'accepted';

export interface Refusal {
  /** As the vendor writes it, where one code of its says several things. @defaultValue the code by which a test asks for it */
  readonly code?: string;
  /** HTTP. */
  readonly status: number;
  /** In the vendor's words. */
  readonly says: string;
  readonly means: Meaning;
}

export type Refusals<Code extends string> = Readonly<Record<Code, Refusal>>;

/** What was taken, in order. */
export interface Accepted {
  /** The vendor's. */
  readonly id: string;
  readonly to: string;
  /** By which the vendor knows a repeat; null where it does not. */
  readonly key: string | null;
  /** As the vendor understood it: JSON, or the fields of a form. */
  readonly body: Readonly<Record<string, unknown>>;
  /** By the fake's clock, epoch ms. */
  readonly at: number;
}

/** One request as the vendor reads it: whom it goes to, or what is wrong with it. */
export type Read<Code extends string> =
  | { readonly to: readonly string[]; readonly key: string | null; readonly body: Accepted['body'] }
  | { readonly refused: Code; readonly words?: string }
  /** Checked and found right, and not to be sent: a test mode. */
  | { readonly answer: WireAnswer };

/** What a vendor sees of its own past. */
export interface Log {
  /** Of what was taken, what a search already knows. */
  readonly settled: () => readonly Accepted[];
  readonly now: () => number;
}

/** How a vendor answers to a key that it has seen: as it did the first time, or by an answer of its own. */
export interface Keys {
  readonly windowMs: number;
  /** Null: sent again, as if it were new. */
  repeat(first: FirstOfKey, request: WireRequest): WireAnswer | null;
}

export interface FirstOfKey {
  readonly answer: WireAnswer;
  readonly isInFlight: boolean;
  readonly isSameBody: boolean;
  readonly accepted: readonly Accepted[];
}

/** One vendor: almost only tables. */
export interface Vendor<Code extends string> {
  readonly name: string;
  readonly title: string;
  /** Its addresses, as msw matches them. Null: msw does not see what goes there. */
  readonly origin: RegExp | null;
  /** What its API's address has for a path. @defaultValue nothing */
  readonly basePath?: string;
  readonly refusals: Refusals<Code>;
  /** The code of too many requests. */
  readonly throttles: Code;
  isSend(request: WireRequest): boolean;
  read(request: WireRequest, log: Log): Read<Code>;
  /** A refusal in the vendor's format; `code` as the vendor writes it. */
  refusal(code: string, words: string, status: number): WireAnswer;
  /** How it says how long to wait. @defaultValue `Retry-After` */
  wait?(answer: WireAnswer, retryAfterS: number, now: number): WireAnswer;
  /** @defaultValue a page of a proxy */
  fails?(status: number): WireAnswer;
  id(nth: number, request: WireRequest): string;
  taken(accepted: readonly Accepted[], request: WireRequest): WireAnswer;
  readonly keys?: Keys;
  /** How long its search does not know of what was taken, ms. @defaultValue it has none */
  readonly settleMs?: number;
  /** Whatever is asked beside: searches, tokens. Null: there is no such thing. */
  elsewhere?(request: WireRequest, log: Log): WireAnswer | null;
  readonly notFound: WireAnswer;
}
