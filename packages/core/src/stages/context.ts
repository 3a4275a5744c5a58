import type { Clock, Random } from '../ports/clock.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Queue } from '../ports/queue.ts';
import type { TelemetryEvent } from '../ports/telemetry.ts';
import type { Settings } from '../settings.ts';
import type { AddressBook } from './address-book.ts';
import type { Made, Routed } from './answered.ts';
import type { Lanes } from './lanes.ts';

/** What every stage works with: the checked config and the ports. */
export interface Context {
  readonly settings: Settings;
  readonly ledger: Ledger;
  /** Wakes for deliveries; null: workers ask the ledger. */
  readonly queue: Queue | null;
  /** Wakes for notifications; the same queue unless configured apart. */
  readonly eventsQueue: Queue | null;
  /** Null: targets bring their address, and nobody is told what attempts prove about it. */
  readonly destinations: AddressBook | null;
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: (event: TelemetryEvent) => void;
  /** Where functions of the config that take their time are asked. */
  readonly lanes: { readonly route: Lanes<Routed>; readonly content: Lanes<Made> };
  /** Whether anybody hears what is emitted: reading a record only in order to tell about it is worth a call then. */
  readonly heard: boolean;
}

const UNKNOWN_CONFIG_DELAY_MS = 30_000;

/**
 * How long something waits that this worker's config does not know (a type, a provider): another worker's may, during a deploy, ms.
 * Drawn, or this worker would be the first to meet it again every time.
 */
export function unknownConfigDelayMs({ random }: Context): number {
  return Math.ceil(UNKNOWN_CONFIG_DELAY_MS * (0.5 + random.next() / 2));
}
