import { manualClock, memoryLedger } from '@sendonce/core/memory';

export default function make() {
  const clock = manualClock();
  return { ledger: memoryLedger({ clock }), unitMs: 1_000, elapse: (ms: number) => clock.advance(ms) };
}
