import type { RangeOf } from './kind.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** From a blink to beyond the lease and the dispatch window. */
export const beyondLease: RangeOf = ({ knobs }) => ({
  least: 1,
  preset: knobs.leaseMs + 1,
  most: Math.max(knobs.leaseMs, knobs.dispatchMs) + MINUTE,
});

/** As long as a message may be between its last check and the provider. */
export const inTransit: RangeOf = ({ transitMs }) => ({ least: 1, preset: transitMs, most: transitMs });

/** From a kill to the next start. */
export const untilBack: RangeOf = ({ knobs }) => ({ least: 1, preset: knobs.restartMs, most: HOUR });

/** A store or a network that is away. */
export const away: RangeOf = ({ knobs }) => ({ least: SECOND, preset: knobs.leaseMs + SECOND, most: 10 * MINUTE });

/** Of a provider: seconds to hours. */
export const outage: RangeOf = () => ({ least: SECOND, preset: MINUTE, most: 6 * HOUR });

/** A short wait. */
export const shortly: RangeOf = () => ({ least: 1, preset: 200, most: 10 * SECOND });

/** From SIGTERM to SIGKILL. */
export const grace: RangeOf = ({ knobs }) => ({ least: 1, preset: knobs.graceMs, most: 2 * knobs.graceMs + 1 });

export const percent: RangeOf = () => ({ least: 1, preset: 50, most: 100 });

export function count(least: number, preset: number, most: number): RangeOf {
  return () => ({ least, preset, most });
}
