import type { Clock, Random } from '../ports/clock.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Queue } from '../ports/queue.ts';
import type { TelemetryEvent } from '../ports/telemetry.ts';
import type { Settings } from '../settings.ts';
import type { AddressBook } from './address-book.ts';
import type { Made, Routed } from './answered.ts';
import { inTime } from './in-time.ts';
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

/** How long a queue may take to store wakes before its caller goes on without them, ms. */
const HINT_LIMIT_MS = 2_000;

/** Wakes are hints: a queue that refuses one, or never answers, costs time, never a message, since the sweeper claims what is due. */
export async function hint(
  { clock }: Context,
  queue: Queue | null,
  ids: readonly string[],
  delayMs = 0,
): Promise<void> {
  if (queue === null || ids.length === 0 || delayMs > queue.capabilities.maxDelayMs) return;
  const { maxBatch } = queue.capabilities;
  for (let at = 0; at < ids.length; at += maxBatch) {
    const wakes = ids.slice(at, at + maxBatch).map((id) => ({ id }));
    try {
      const stored = await inTime(clock, queue.enqueue(wakes, { delayMs }), HINT_LIMIT_MS, () => null);
      if (stored === null) return;
    } catch {
      return;
    }
  }
}
