import type { Notifier } from '@sendonce/core';
import type { ManualClock } from '@sendonce/core/memory';

/** Runs a worker for this long on the manual clock, then lets it drain. */
export async function runFor(notifier: Pick<Notifier<never>, 'worker'>, clock: ManualClock, ms: number): Promise<void> {
  const stop = new AbortController();
  const running = notifier.worker().run({ signal: stop.signal });
  await clock.advance(ms);
  stop.abort();
  await clock.advance(10_000);
  await running;
}
