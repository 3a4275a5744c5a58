import type { Call } from '../kernel/call.ts';
import type { Peer, Process } from '../kernel/process.ts';
import type { CallFault, Phase } from '../plan.ts';
import type { Send } from '../world/provider.ts';
import type { SimulatedQueue } from '../world/queue.ts';
import type { Knobs } from '../world/knobs.ts';
import type { LastsMs } from './lengths.ts';
import type { Op } from './ops.ts';

/** The rows of the fault table. `webhook` has none yet: its faults come with the webhook endpoint. */
export const COMPONENTS = ['queue', 'ledger', 'provider', 'worker', 'producer', 'clock', 'operator'] as const;
export type Component = (typeof COMPONENTS)[number];

/** What a fault's number may be. */
export interface Range {
  readonly least: number;
  readonly preset: number;
  /** What the promises hold for; longer is a documented residual risk, and has to be asked for. */
  readonly most: number;
}

/** What bounds depend on. */
export interface Limits {
  readonly knobs: Knobs;
  /** How long a request may be under way, or its sender asleep, after the last check before its first byte. */
  readonly transitMs: number;
}
export type RangeOf = (limits: Limits) => Range;

/** What an operator does. */
export type OperatorAction = 'cancel' | 'cancel-notification' | 'opt-out' | 'replay' | 'replay-twice' | 'replay-killed';

/** What faults can do to the world. */
export interface Hands {
  readonly knobs: Knobs;
  /** SIGKILL. Null: it never comes back. */
  kill(process: Process, why: string, backAfterMs: number | null): void;
  pause(process: Process, ms: number): void;
  /** SIGTERM, and SIGKILL `ms` later if it still runs. */
  stop(process: Process, ms: number): void;
  /** SIGTERM to all workers, one after the other, each replaced by a new one. */
  deploy(everyMs: number): void;
  /** Killed, and run with another config for `ms`. */
  restartWith(process: Process, variant: number, ms: number): void;
  /** Null: every process. */
  cutOff(process: Process | null, peer: Peer, ways: 'both' | 'replies', ms: number): void;
  ledgerDown(ms: number): void;
  loseMemory(lastMs: number, evict: readonly string[]): void;
  readonly queue: SimulatedQueue | null;
  wipeQueue(): void;
  /** Lets something happen later. */
  later(ms: number, action: () => void): void;
  /** The same, and the run is not over before: without it the fault would have done nothing. */
  follows(ms: number, action: () => void): void;
  skew(process: Process, ms: number): void;
  /** Resolves when it is done; where the operator dies over it and does it again later, at the death. */
  operate(action: OperatorAction, deliveryId: string): Promise<void>;
  /** How long a request may be held for an operator who acts right before it, ms. */
  readonly holdMs: number;
  /** A second producer publishes the same. */
  publishTwice(): void;
  /** The provider says `ms` later that the message bounced. */
  bounce(send: Send, providerMessageId: string, ms: number): void;
  draw(label: string, n: number): number;
}

/** A fault at the moment at which it strikes. */
export interface Strike {
  readonly hands: Hands;
  readonly fault: CallFault;
  readonly process: Process;
  /** The call that it strikes; null at `worker.start`. */
  readonly call: Call | null;
  /** The entity's item in the batch; -1: the call as a whole. */
  readonly item: number;
  /** The delivery that the entity's item (else the first) is about; '' where there is none. */
  readonly deliveryId: string;
  /** The length and the number of the fault, with their presets. */
  readonly ms: number;
  readonly amount: number;
}

/** One kind of fault: where it can be, what it means, and how it is applied. */
export interface FaultKind {
  readonly do: string;
  readonly component: Component;
  readonly ops: readonly Op[];
  readonly phases: readonly Phase[];
  /** The length that a plan may give it, ms; null: none. */
  readonly ms: RangeOf | null;
  /** When it is over. Everything that lasts says so here, whatever its length counts: each kill of a loop, or writes that are forgotten. */
  readonly lastsMs: LastsMs;
  readonly amount: RangeOf | null;
  /** In one sentence. */
  readonly means: string;
  /** True when it strikes every time from the nth on, and at no heal point stops: a property of the recipient. */
  readonly forever?: boolean;
  /** Called when the call reaches the fault's phase: A when it was applied, all others when it is requested. */
  readonly strike: (strike: Strike) => void | Promise<void>;
}

/** The call, at the sites of ports. */
export function callOf({ call }: Strike): Call {
  if (call === null) throw new Error('this fault strikes calls only');
  return call;
}
