import type { Clock } from '../ports/clock.ts';

export interface Pace {
  readonly clock: Clock;
  /** From one pass to the next, at least, ms. */
  readonly everyMs: number;
  /** No pass begins after it. */
  readonly signal?: AbortSignal;
}

/**
 * Merges calls: the first passes at once, those that come until `everyMs` after it pass together, as one. Never two passes at a time; `pass`
 * must not fail.
 */
export function paced(pass: () => void | Promise<void>, { clock, everyMs, signal }: Pace): () => void {
  let isBusy = false;
  let isCalled = false;
  const run = async (): Promise<void> => {
    isBusy = true;
    while (isCalled && signal?.aborted !== true) {
      isCalled = false;
      const passed = pass();
      if (passed !== undefined) await passed;
      await clock.sleep(everyMs, signal);
    }
    isBusy = false;
  };
  return () => {
    isCalled = true;
    if (!isBusy) void run();
  };
}
