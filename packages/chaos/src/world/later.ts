import type { Entry, Instant } from '../kernel/agenda.ts';
import { draw, hashText } from '../kernel/draw.ts';
import type { Kernel } from '../kernel/kernel.ts';

const LATER = hashText('later');

/** Lets the world itself do something at a virtual time. */
export function scheduler(kernel: Kernel): (ms: number, action: () => void) => void {
  let n = 0;
  return (ms, action) =>
    kernel.schedule(Math.max(1, Math.ceil(ms)), new Later(draw(kernel.seed, LATER, 0, n++), action));
}

class Later implements Entry {
  readonly rank: number;
  cancelled = false;
  instant: Instant | null = null;
  readonly fire: () => void;

  constructor(rank: number, fire: () => void) {
    this.rank = rank;
    this.fire = fire;
  }
}
