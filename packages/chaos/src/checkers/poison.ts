import type { Checker, CheckerContext } from './checker.ts';
import type { EndFacts } from './facts.ts';

/**
 * L7: a delivery whose payload kills its process is claimed a bounded number of times in a row: claims that came to no mark and were
 * not given back. That it is settled then, and delays nobody else, is L2's to say.
 */
export function poison(context: CheckerContext): Checker {
  const { poisonClaims } = context.knobs;
  const inRow = context.column('u8');
  const most = context.column('u8');
  /** Low bits of the latest fence, for a repeated answer to the same claim is no new one. */
  const fences = context.column('u16');

  function claimed(slot: number, fence: number): void {
    const low = (fence % 0xffff) + 1;
    if (fences.get(slot) === low) return;
    fences.set(slot, low);
    const count = inRow.add(slot, 1);
    if (count > most.get(slot)) most.set(slot, count);
  }

  function end({ liveness }: EndFacts): void {
    for (const slot of liveness.poison) {
      if (most.get(slot) <= poisonClaims) continue;
      const message = `a poison delivery was claimed ${most.get(slot)} times in a row; the bound is ${poisonClaims}`;
      context.report({ invariant: 'L7', at: liveness.endedAt, slot, deliveryId: null, message });
    }
  }

  return {
    invariants: ['L7'],
    on: {
      claim({ verdict }, slot) {
        if (verdict.kind === 'granted') claimed(slot, verdict.fence);
      },
      mark({ verdict }, slot) {
        if (verdict.kind !== 'fenced') inRow.set(slot, 0);
      },
      release({ verdict }, slot) {
        if (slot >= 0 && verdict.kind === 'ok') inRow.set(slot, 0);
      },
      // A store that lost its memory counts again.
      epoch: () => inRow.clear(),
    },
    end,
  };
}
