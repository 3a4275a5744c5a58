import type { Clock } from '@sendonce/core';
import { systemClock } from '@sendonce/core/system';

/** The clock that all processes of a run share. */
export interface ClockOrders {
  /** Epoch ms at which the run began; until then the clock is the host's. */
  readonly startedAt: number;
  /** How many times as fast as the host's it runs from then on: 1 is real time. */
  readonly speed: number;
}

/** The host's clock, or one that runs faster, so that what waits for minutes is seen in seconds. The code under test is the same. */
export function sharedClock({ startedAt, speed }: ClockOrders): Clock {
  if (speed === 1) return systemClock;
  return {
    now: () => Math.floor(startedAt + (systemClock.now() - startedAt) * speed),
    monotonic: () => systemClock.monotonic() * speed,
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  };
}
