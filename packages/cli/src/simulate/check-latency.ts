import { unsoundness, type SimulationSetup, type Workload } from '@sendonce/chaos';
import { SendonceError } from '@sendonce/core';

/** @throws SendonceError `FLAG_INVALID` for answers that come so late that no sender could be right. */
export function checkLatency(latency: string | null, setup: SimulationSetup, workload: Workload | null): void {
  if (latency === null) return;
  const unsound = unsoundness(setup, workload, []);
  if (unsound?.part !== 'provider') return;
  throw new SendonceError('FLAG_INVALID', `--latency ${latency} is too long here: ${unsound.why}. Take a shorter one.`);
}
