import { manualClock, memoryDestinations } from '@sendonce/core/memory';

export default function make() {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  return { destinations: memoryDestinations({ clock }), elapse: (ms: number) => clock.advance(ms) };
}
