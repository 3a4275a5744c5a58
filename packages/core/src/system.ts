import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Random } from './ports/clock.ts';

/** The real clock. The only file of core that touches real time and real randomness. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch {
      // Aborted: sleeping is over, which is all that was promised.
    }
  },
};

/** Says something to whoever runs this process: on standard error, unless they listen for warnings themselves. */
export function systemWarn(message: string): void {
  process.emitWarning(message, 'SendonceWarning');
}

export const systemRandom: Random = {
  next: () => Math.random(),
  id: () => randomBytes(15).toString('base64url'),
};
