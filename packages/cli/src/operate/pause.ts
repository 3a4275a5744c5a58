import { setTimeout as sleep } from 'node:timers/promises';

/** Until `until` (of `performance.now()`), or until somebody stops it. */
export async function pause(until: number, signal: AbortSignal): Promise<void> {
  const ms = until - performance.now();
  if (ms <= 0) return;
  try {
    await sleep(ms, undefined, { signal });
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
}
