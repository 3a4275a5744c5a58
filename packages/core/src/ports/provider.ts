import type { Channel } from '../model/classes.ts';
import type { ArrivalKind, MessageContent } from '../model/delivery.ts';
import type { Outcome } from '../model/outcome.ts';

/** What an adapter is given: the content, frozen (copy what you want to change), and where it goes. Same message and key, same bytes on the wire. */
export interface OutgoingMessage {
  readonly deliveryId: string;
  /** The notification's. A worker always says it. @defaultValue 'default' */
  readonly tenant?: string;
  readonly channel: Channel;
  readonly to: string;
  readonly content: MessageContent;
  /** When the delivery was made (epoch ms, ledger clock): the one time that is the same on every attempt, for a Date header. */
  readonly createdAt: number;
}

export interface SendContext {
  /** The idempotency key of this delivery at this provider; equal on every attempt. */
  readonly key: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Milliseconds left until no byte may leave; the adapter's own time limit. */
  readonly deadlineMs: number;
  /** Aborted when the deadline has passed. */
  readonly signal: AbortSignal;
}

export type LookupAnswer =
  | { readonly kind: 'found'; readonly providerMessageId: string }
  /** The provider knows of no such message. Counts only from an authoritative lookup, after the settle time (PROTOCOL rule 10). */
  | { readonly kind: 'absent' }
  /** The lookup itself failed; ask again later. */
  | { readonly kind: 'cannot-tell'; readonly reason: string };

export interface LookupRequest {
  readonly deliveryId: string;
  readonly key: string;
  readonly to: string;
  /** When the first open attempt was marked (epoch ms, ledger clock). */
  readonly markedAt: number;
}

export interface Lookup {
  /** `authoritative`: "absent" is proof after `settleMs`. `positive-only`: only "found" proves anything. */
  readonly kind: 'authoritative' | 'positive-only';
  /** How long after the last send deadline an "absent" proves nothing, in ms. */
  readonly settleMs: number;
  /** How far back it sees, in ms. */
  readonly horizonMs: number;
  find(request: LookupRequest, options: { readonly signal: AbortSignal }): Promise<LookupAnswer>;
}

/** One thing a provider's webhook said, already verified and parsed. */
export interface ProviderEvent {
  readonly kind: 'accepted' | 'rejected' | ArrivalKind | 'other';
  readonly deliveryId: string | null;
  readonly providerMessageId: string | null;
  readonly at: number;
  readonly detail: string | null;
}

export interface ProviderCapabilities {
  /** `key`: repeats with the same key are one message, inside `windowMs`. `client-id`: repeats are refused. `none`. */
  readonly idempotency: { readonly kind: 'key' | 'client-id'; readonly windowMs: number } | { readonly kind: 'none' };
  readonly lookup: Lookup | 'none';
  /** The field in which our delivery id travels and comes back in events. */
  readonly correlation: { readonly field: string; readonly maxBytes: number } | 'none';
  /** True when a repeat replaces the earlier message on the device (collapse id, tag, topic). */
  readonly coalesce: boolean;
}

/** One way out. Returns outcomes; whatever it throws is recorded as `unknown`. Sends once per call: no retries of its own. */
export interface Provider {
  /** Stable and unique within a channel; part of the provider key, so renaming it forgets earlier attempts' keys. */
  readonly name: string;
  readonly capabilities: ProviderCapabilities;
  /**
   * What can be told about a message without asking anybody: why it will be rejected whatever happens, or null. Pure; `send` answers the
   * same to such a message. `notify simulate --config` asks it in place of `send`. @defaultValue nothing can be told
   */
  check?(message: OutgoingMessage): Extract<Outcome, { kind: 'rejected' }> | null;
  send(message: OutgoingMessage, context: SendContext): Promise<Outcome>;
  /** A second call does nothing. */
  close(): Promise<void>;
}
