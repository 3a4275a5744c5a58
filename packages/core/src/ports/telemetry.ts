import type { Channel, DeliveryClass } from '../model/classes.ts';
import type { DeliveryState } from '../model/delivery.ts';
import type { NotificationState } from '../model/notification.ts';
import type { OutcomeKind } from '../model/outcome.ts';

/** What happened, once per transition that this process caused or saw. Never an address, never content. */
export type TelemetryEvent =
  | {
      readonly kind: 'notification.moved';
      readonly at: number;
      readonly id: string;
      readonly type: string;
      readonly to: NotificationState;
      readonly reason: string | null;
    }
  | {
      readonly kind: 'delivery.moved';
      readonly at: number;
      readonly id: string;
      readonly type: string;
      readonly class: DeliveryClass;
      readonly channel: Channel;
      readonly to: DeliveryState;
      readonly provider: string;
      readonly reason: string | null;
      readonly assumed: boolean;
    }
  | {
      readonly kind: 'attempt.ended';
      readonly at: number;
      readonly id: string;
      readonly provider: string;
      readonly attempt: number;
      readonly outcome: OutcomeKind;
      readonly reason: string | null;
    }
  | {
      readonly kind: 'delivery.failover';
      readonly at: number;
      readonly id: string;
      readonly from: string;
      readonly to: string;
      readonly declared: boolean;
    }
  | { readonly kind: 'delivery.stray'; readonly at: number; readonly id: string }
  | { readonly kind: 'duplicate.recorded'; readonly at: number; readonly id: string }
  | {
      readonly kind: 'function.shared';
      readonly at: number;
      readonly type: string;
      readonly name: 'route' | 'content';
    }
  | { readonly kind: 'worker.degraded'; readonly at: number; readonly worker: string; readonly reason: string }
  | { readonly kind: 'worker.recovered'; readonly at: number; readonly worker: string }
  /** So many of a provider's sends say that the destination is dead that none is given up, or no longer so. */
  | {
      readonly kind: 'pruning.stopped' | 'pruning.resumed';
      readonly at: number;
      readonly channel: Channel;
      readonly provider: string;
      readonly dead: number;
      readonly accepted: number;
    }
  | {
      readonly kind: 'worker.no-progress';
      readonly at: number;
      readonly worker: string;
      readonly waiting: number;
      readonly sinceMs: number;
    };

/** Where events go. Must not block. What it throws, or rejects with, stops nothing: it is said once, as a warning and to the other sinks. */
export interface Telemetry {
  emit(event: TelemetryEvent): void;
}

export const ALERT_KINDS = ['dead-letter', 'parked', 'failover', 'no-progress', 'pruning-stopped'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** Something a person should look at; events of one kind within the grouping time are one alert with a count. */
export interface Alert {
  readonly kind: AlertKind;
  readonly at: number;
  readonly count: number;
  /** Up to five delivery or notification ids. */
  readonly examples: readonly string[];
  readonly summary: string;
  /** The command that shows or mends it. */
  readonly next: string;
}

/**
 * Where alerts go. What it throws or rejects with, or no answer within 15 s, is told as telemetry `worker.degraded`, once until it takes
 * one again; an alert that no sink took is tried again with the next group. No send waits for it.
 */
export interface AlertSink {
  send(alert: Alert): Promise<void>;
  close(): Promise<void>;
}
