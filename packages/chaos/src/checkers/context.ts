import type { Channel, ClassPolicy, MessageContent, NewDelivery } from '@sendonce/core';
import type { EventKind, EventOf } from '../history.ts';
import type { Attempts } from './attempts.ts';
import type { Column, ColumnKind } from './column.ts';
import type { Extras } from './extras.ts';
import type { EndFacts, FinalDelivery } from './facts.ts';
import type { Slots } from './slots.ts';
import type { States } from './states.ts';

/** What a delivery's policy allows about an open attempt. All false: strict, no message more than one. */
export interface PolicyFacts {
  readonly resend: boolean;
  readonly failover: boolean;
  readonly assume: boolean;
}

export interface ProviderFacts {
  readonly name: string;
  /** How long it remembers a key, ms, counted from the first request with it; null: it takes none. */
  readonly keyWindowMs: number | null;
}

/** What cancels and opt-outs are matched by. */
export interface Addressee {
  readonly notificationId: string;
  readonly tenant: string;
  readonly recipientId: string;
  readonly channel: Channel;
  /** Null: opting out is not possible. */
  readonly topic: string | null;
}

export interface JudgeKnobs {
  /** The longest that a request may be between its sender's last check and its arrival, ms: the wire, plus the longest delay or pause that a fault adds. */
  readonly transitMs: number;
  /** The longest that a healthy path may rest while work is due, ms: beyond every backoff and window. Null: L1 is not judged. */
  readonly progressMs: number | null;
  /** Claims and reconciliations of one delivery after the heal point; more is a livelock. */
  readonly turnsAfterHeal: number;
  /** Claims in a row of one poison delivery. */
  readonly poisonClaims: number;
}

/**
 * What the world tells the judge. A recipient index counts what was requested: one notification x recipient x channel (x device). The
 * times of the history are the store's clock.
 */
export interface JudgeContext {
  /** One more than the highest recipient index. */
  readonly recipients: number;
  /** The recipient index of a first-generation delivery id; -1 for any other id. */
  indexOf(deliveryId: string): number;
  policyOf(recipient: number): PolicyFacts;
  /** Asked only while a cancel or an opt-out is in force. */
  addresseeOf(recipient: number): Addressee;
  readonly providers: readonly ProviderFacts[];
  /** The hash that the simulated providers put into `body`. */
  bodyOf(content: MessageContent): string;
  readonly knobs: JudgeKnobs;
}

export interface Finding {
  readonly invariant: string;
  readonly at: number;
  /** -1: about no recipient. */
  readonly slot: number;
  readonly deliveryId: string | null;
  readonly message: string;
}

/** What every checker gets: the world's facts, the shared books, and where to report. */
export interface CheckerContext extends JudgeContext {
  readonly slots: Slots;
  /** The books hold what was true *before* the event that a checker looks at. */
  readonly attempts: Attempts;
  readonly extras: Extras;
  readonly states: States;
  column(kind: ColumnKind): Column;
  report(finding: Finding): void;
}

export type Handlers = { readonly [Kind in EventKind]?: (event: EventOf<Kind>, slot: number) => void };

/** A fold over the history that reports what breaks its invariant. Allocates nothing while all is well. */
export interface Checker {
  readonly invariants: readonly string[];
  readonly on: Handlers;
  /** Each delivery of a page that was added (`inserted`) or added again. */
  readonly made?: (delivery: NewDelivery, slot: number, event: EventOf<'add'>, inserted: boolean) => void;
  /** Each delivery in the ledger when the run is over. */
  readonly final?: (delivery: FinalDelivery, slot: number, endedAt: number) => void;
  readonly end?: (facts: EndFacts) => void;
}

export type CheckerFactory = (context: CheckerContext) => Checker;

export function policyFacts(policy: Pick<ClassPolicy, 'onUnknown'>): PolicyFacts {
  const { onUnknown } = policy;
  // Failing over with one provider alone is a resend.
  return {
    resend: onUnknown === 'resend' || onUnknown === 'failover',
    failover: onUnknown === 'failover',
    assume: onUnknown === 'assume-sent',
  };
}
