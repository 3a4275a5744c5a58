import type { Channel, ClassPolicy, ContentContext, Lookup, MessageContent, Target } from '@sendonce/core';

/** What a delivery's policy allows about an open attempt. All false: strict, no message more than one. */
export interface PolicyFacts {
  readonly resend: boolean;
  readonly failover: boolean;
  readonly assume: boolean;
}

export interface ProviderFacts {
  readonly name: string;
  readonly channel: Channel;
  /** How long it remembers a key, ms, counted from the first request with it; null: it takes none. */
  readonly keyWindowMs: number | null;
  /** Null: it cannot be asked. */
  readonly lookup: Pick<Lookup, 'kind' | 'settleMs' | 'horizonMs'> | null;
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
  /** The longest that a fault which is over may still show, ms: in what was on its way when it struck. Not below `transitMs`. */
  readonly afterglowMs: number;
  /** The slowest way of a ledger call with nothing broken, each direction, ms. */
  readonly ledgerWayMs: number;
  /** The same of a call of a provider. */
  readonly providerWayMs: number;
  /** An adapter waits that long for an answer, ms. */
  readonly sendTimeoutMs: number;
  /** Taken off a key window for the last replay. */
  readonly keyMarginMs: number;
  /** The longest that a healthy path may rest while work is due, ms: beyond every backoff and window. Null: L1 is not judged. */
  readonly progressMs: number | null;
  /** Within this a healthy worker takes up what is due, ms: every wait between two looks at the ledger. */
  readonly takeUpMs: number;
  /** Within this it also takes up what somebody held who is gone, ms: leases, windows and visibility included. */
  readonly recoverMs: number;
  /** Claims and reconciliations of one delivery after the heal point; more is a livelock. */
  readonly turnsAfterHeal: number;
  /** Send slots of each worker. */
  readonly concurrency: number;
  /** Claims in a row of one poison delivery. */
  readonly poisonClaims: number;
}

/**
 * What the world tells the judge. A recipient index counts what was requested: one notification x recipient x channel (x device). The
 * times of the history are the store's clock.
 */
export interface JudgeContext {
  /** One more than the highest recipient index; where `isOpen`, of those that are expected. */
  readonly recipients: number;
  /** Recipients are learned as they come: beyond `recipients` there may be more, at every second index. */
  readonly isOpen: boolean;
  /** The recipient index of a first-generation delivery id; -1 for any other id. */
  indexOf(deliveryId: string): number;
  /** What the class of its messages says, options of class and type included. */
  policyOf(recipient: number): ClassPolicy;
  /** Asked only while a cancel or an opt-out is in force. */
  addresseeOf(recipient: number): Addressee;
  /** Of each channel in order of preference. */
  readonly providers: readonly ProviderFacts[];
  /** Whom the recipient's messages go to, as the harness asked for it. */
  targetOf(recipient: number): Target;
  /**
   * What a delivery of this recipient says, made once more from the harness's own inputs by the user's own function: so it may throw what
   * that throws, and answer later. Null: the harness does not know the inputs.
   */
  contentOf(recipient: number, target: Target, of: ContentContext): MessageContent | Promise<MessageContent> | null;
  /** Why an address can never work, by the rules of the run's config. */
  addressProblemOf(target: Pick<Target, 'channel' | 'to'>): string | null;
  /** Of a notification that was published: whether this recipient is one of those it is for. Null: the harness cannot tell. */
  isAskedFor(notificationId: string, target: Target): boolean | null;
  /** Whether the notification's own route throws. Null: the harness cannot tell. */
  failsToRoute(notificationId: string): boolean | null;
  /** The hash that the simulated providers put into `body`. */
  bodyOf(content: MessageContent): string;
  readonly knobs: JudgeKnobs;
}

export function policyFacts(policy: Pick<ClassPolicy, 'onUnknown'>): PolicyFacts {
  const { onUnknown } = policy;
  // Failing over with one provider alone is a resend.
  return {
    resend: onUnknown === 'resend' || onUnknown === 'failover',
    failover: onUnknown === 'failover',
    assume: onUnknown === 'assume-sent',
  };
}
