import type { Clock } from '../ports/clock.ts';

const LATE = Symbol('late');

/** What the work comes to; or, when it takes longer than `limitMs`, what `late` answers or throws. Work that is late goes on unheard. */
export async function inTime<T, L>(clock: Clock, work: Promise<T>, limitMs: number, late: () => L): Promise<T | L> {
  const done = new AbortController();
  const timeUp = clock.sleep(limitMs, done.signal).then((): typeof LATE => LATE);
  try {
    const first = await Promise.race([work, timeUp]);
    return first === LATE ? late() : first;
  } finally {
    done.abort('done');
  }
}
