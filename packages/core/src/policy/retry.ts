import type { RetryPolicy } from './policy.ts';

/** A year: longer than any delivery is worth waiting for, ms. */
export const LONGEST_WAIT_MS: number = 365 * 86_400_000;

/**
 * How long to wait before the next attempt, ms. `tries` counts attempts so far (>= 1). Full jitter over the upper half: a crowd of
 * deliveries that failed together does not come back together, and nobody waits less than half of what was asked for.
 */
export function retryDelayMs(policy: RetryPolicy, tries: number, random: number): number {
  const full =
    'schedule' in policy
      ? scheduled(policy.schedule, tries)
      : Math.min(policy.maxMs, policy.baseMs * policy.factor ** (tries - 1));
  return Math.round(full * (0.5 + random / 2));
}

function scheduled(schedule: readonly number[], tries: number): number {
  return schedule[Math.min(tries, schedule.length) - 1] ?? 0;
}

/** How long what threw on our own side, a route or a content, waits for its next try, ms: 1 s, 4 s, 16 s, ... at most 10 min. */
export function afterFailureMs(failures: number): number {
  return Math.min(1_000 * 4 ** failures, 600_000);
}
