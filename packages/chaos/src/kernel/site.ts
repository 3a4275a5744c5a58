import type { Life, Peer } from './process.ts';

/** What a caller sees at the end of a call. */
export type Answer<Result> =
  { readonly kind: 'value'; readonly value: Result } | { readonly kind: 'error'; readonly error: unknown };

/** From the least to the most, both included, ms. */
export type Span = readonly [leastMs: number, mostMs: number];

/** One operation of one port: what it does at the other side, and how the way there behaves. */
export interface Site<Args, Result> {
  /** `ledger.mark`, `provider.send`, ... */
  readonly op: string;
  /** Its place in the run's list of sites. */
  readonly index: number;
  readonly hash: number;
  readonly peer: Peer;
  readonly requestMs: Span;
  readonly replyMs: Span;
  /** False for what workers do for ever (asking for work): a run does not wait for it. */
  readonly awaited: boolean;
  /** Takes effect at the other side. May throw what the caller shall see. */
  apply(args: Args, life: Life): Result | Promise<Result>;
  /** What a caller sees who heard nothing, or gave up waiting. */
  lost(args: Args): Answer<Result>;
  /** After how long it gives up a call that will never be answered, ms. */
  timeoutMs(args: Args): number;
  /** After how long it gives up a call that is merely slow, ms; Infinity: it waits. */
  patienceMs(args: Args): number;
  /** What addresses this call among all of its site; absent: the process and its count of calls. */
  address?(args: Args, life: Life): number;
}
