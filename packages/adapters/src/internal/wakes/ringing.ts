import type { Clock } from '@sendonce/core';
import { systemClock } from '@sendonce/core/system';
import { paced } from '@sendonce/core/internal';
import { inTime } from '../queue/in-time.ts';

/** From one wake of a process to the next, at least, ms: what becomes due in between is told together. */
export const APART_MS = 50;
/** How long one may take, ms. A connection that does not answer keeps those behind it no longer. */
const LIMIT_MS = 2_000;

export interface Ringing {
  /** Something is due. Returns at once and never throws. */
  ring(): void;
  /** Sends what is still to be sent; later rings do nothing. A second call does nothing. */
  close(): Promise<void>;
}

/** Tells of due work beside the work: at once, at most 20 times a second, and whatever becomes of it nobody hears. */
export function ringing(send: () => Promise<unknown>, clock: Clock = systemClock): Ringing {
  const over = new AbortController();
  let isOwed = false;
  let sending = Promise.resolve();
  const pass = (): Promise<void> => {
    isOwed = false;
    const late = (): Error => new Error('late');
    sending = inTime(send(), LIMIT_MS, late).then(
      () => undefined,
      () => undefined,
    );
    return sending;
  };
  const call = paced(pass, { clock, everyMs: APART_MS, signal: over.signal });
  return {
    ring() {
      if (over.signal.aborted) return;
      isOwed = true;
      call();
    },
    async close() {
      over.abort('closed');
      await sending;
      if (isOwed) await pass();
    },
  };
}
