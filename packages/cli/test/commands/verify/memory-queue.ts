import { manualClock, memoryQueue } from '@sendonce/core/memory';

/** Kept laws in no time: its clock is moved. */
export default function make() {
  console.log('a word of the module');
  const clock = manualClock();
  const queue = memoryQueue({ clock, visibilityMs: 1_000 });
  return { queue, unitMs: 100, elapse: (ms: number) => clock.advance(ms) };
}
