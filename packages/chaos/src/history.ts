import type {
  AddRequest,
  AddVerdict,
  CancelRequest,
  CancelVerdict,
  Channel,
  DeliveryVerdict,
  Held,
  HoldVerdict,
  MarkRequest,
  MarkVerdict,
  NotificationVerdict,
  Outcome,
  ReconcileRequest,
  ReconcileVerdict,
  ReleaseRequest,
  ReplayRequest,
  ReplayVerdict,
  SettleRequest,
  SettleVerdict,
  SuppressRequest,
  SweepResult,
} from '@sendonce/core';
import type { Fault } from './plan.ts';

/**
 * What happened in a run, in the order in which it took effect. Written by the harness's own wrappers around the ports and by the
 * simulated providers, never by core. One event per item of a batch, at the moment it was *applied* (not requested, not observed).
 */
export type HistoryEvent = { readonly at: number; readonly process: string } & (
  | {
      readonly kind: 'process';
      readonly what: 'start' | 'kill' | 'pause' | 'resume' | 'stop' | 'stopped';
      readonly why: string | null;
    }
  | {
      readonly kind: 'fault';
      readonly what: 'armed' | 'fired' | 'healed';
      readonly index: number;
      readonly fault: Fault;
      readonly entity: string | null;
    }
  /** The heal point: no fault fires after it. */
  | { readonly kind: 'heal' }
  | { readonly kind: 'epoch'; readonly lost: number; readonly evicted: readonly string[] }
  | { readonly kind: 'add'; readonly request: AddRequest; readonly verdict: AddVerdict }
  | {
      readonly kind: 'claim';
      readonly owner: string;
      readonly requestId: string;
      readonly leaseMs: number;
      readonly verdict: DeliveryVerdict;
    }
  | { readonly kind: 'claim-notification'; readonly owner: string; readonly verdict: NotificationVerdict }
  | { readonly kind: 'renew'; readonly request: Held; readonly verdict: HoldVerdict }
  | { readonly kind: 'release'; readonly request: ReleaseRequest; readonly verdict: HoldVerdict }
  | { readonly kind: 'mark'; readonly request: MarkRequest; readonly verdict: MarkVerdict }
  | { readonly kind: 'settle'; readonly request: SettleRequest; readonly verdict: SettleVerdict }
  | { readonly kind: 'sweep'; readonly result: SweepResult }
  | { readonly kind: 'reconcile'; readonly request: ReconcileRequest; readonly verdict: ReconcileVerdict }
  | { readonly kind: 'cancel'; readonly request: CancelRequest; readonly verdict: CancelVerdict }
  | { readonly kind: 'suppress'; readonly request: SuppressRequest; readonly tooLate: readonly string[] }
  | { readonly kind: 'replay'; readonly request: ReplayRequest; readonly verdict: ReplayVerdict }
  /** A provider was asked what it knows of a delivery; told when the request left. */
  | { readonly kind: 'lookup'; readonly provider: string; readonly deliveryId: string }
  | {
      readonly kind: 'queue';
      readonly op: 'enqueue' | 'receive' | 'ack' | 'release' | 'extend' | 'wiped';
      readonly id: string;
      readonly receipt: string | null;
    }
  /** A complete request reached a provider; `outcome` is what the provider did with it. */
  | {
      readonly kind: 'provider';
      readonly provider: string;
      readonly deliveryId: string;
      /** The mark's attempt number that the sender named. */
      readonly attempt: number;
      readonly key: string;
      /** The provider's own channel, whatever the sender named. */
      readonly channel: Channel;
      readonly to: string;
      /** Hash of the content that arrived. */
      readonly body: string;
      /** `accepted`: one more message in the mailbox. `same`: the provider knew the key, no new message. `refused`: none. */
      readonly outcome: 'accepted' | 'same' | 'refused';
      /** What a right adapter makes of the refusal; only where it refused. */
      readonly refusal?: Outcome;
      readonly providerMessageId: string | null;
      /** The provider sent a reply that says so (it may still be lost on the way). */
      readonly reply: string;
    }
);

export type EventKind = HistoryEvent['kind'];
export type EventOf<K extends EventKind> = Extract<HistoryEvent, { kind: K }>;

/** Something that watches a run: a checker, a counter, the trace hash, a recorder. */
export interface Observer {
  on(event: HistoryEvent): void;
}
