import { KILL_MOMENTS, type AcceptanceKill } from '@sendonce/chaos';
import { flagError } from './flag-error.ts';
import { likely } from './likely.ts';
import { parseCount } from './parse-values.ts';

/** `800` or `800:before-send`: the worker that holds the 800th acceptance dies, by default after the provider accepted. */
export function parseKillAt(given: string): AcceptanceKill {
  const [number = '', moment = 'after-accept', ...rest] = given.split(':');
  const known = KILL_MOMENTS.find((candidate) => candidate === moment.trim().toLowerCase());
  if (known === undefined || rest.length > 0) {
    const close = likely(moment, KILL_MOMENTS);
    throw flagError(
      'kill-at',
      given,
      `N or N:MOMENT, with MOMENT one of ${KILL_MOMENTS.join(', ')}`,
      close === null ? null : `${number}:${close}`,
    );
  }
  return { do: 'kill', acceptance: parseCount('kill-at', number, 1, 1_000_000_000), moment: known };
}
