import type { Fault, SimulationSetup } from './plan.ts';

export const CLASSES_OF_END = [
  'once',
  'recovered',
  'resent',
  'assumed',
  'parked',
  'failed',
  'dead',
  'expired',
  'suppressed',
  'cancelled',
  'unsettled',
  'duplicated',
  'lost',
  'phantom',
] as const;
/** In which class a requested recipient ended, judged by the mailbox first (docs/reference/simulate.md). */
export type EndClass = (typeof CLASSES_OF_END)[number];
/** Ends whose recipients are listed, each with the reason: whoever got nothing, or whose record came to no end. */
export const LISTED_ENDS = ['parked', 'failed', 'dead', 'unsettled', 'lost'] as const satisfies readonly EndClass[];
export type Tally = Readonly<Record<EndClass, number>>;

/** One broken invariant, with the first recipient that it was seen at. */
export interface Violation {
  /** S1 ... S17, L1 ... L7, META, or END for the final count and the causes of its ends. */
  readonly invariant: string;
  readonly kind: 'safety' | 'liveness';
  readonly at: number;
  /** `r17`, or null where it is about no recipient. */
  readonly recipient: string | null;
  readonly deliveryId: string | null;
  /** What happened, in one sentence a stranger understands. */
  readonly message: string;
}

/** Somebody who got nothing, or whose record came to no end, and why. */
export interface NotSent {
  readonly recipient: string;
  readonly state: string;
  readonly reason: string;
  /** It failed and no provider was asked, so no fault is why: the config's own code threw, or made content or an address that is none. */
  readonly own?: true;
}

/** What one schedule (one seed, one plan) came to. */
export interface RunResult {
  readonly seed: string;
  readonly setup: SimulationSetup;
  readonly faults: readonly Fault[];
  readonly fired: readonly boolean[];
  readonly requested: number;
  readonly tally: Tally;
  readonly kills: readonly { readonly at: number; readonly worker: string; readonly phase: string }[];
  readonly violations: readonly Violation[];
  /** Notifications whose producer never finished: listed, outside the sums. */
  readonly unsealed: readonly { readonly notificationId: string; readonly targets: number }[];
  /** Recipients (as `r17`) of the listed ends; the first 1,000. */
  readonly notSent: readonly NotSent[];
  readonly virtualMs: number;
  readonly events: number;
  readonly traceHash: string;
}
