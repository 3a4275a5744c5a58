import type { Checker, CheckerContext } from './checker.ts';

/** L4: no endless circle. After the heal point a delivery is claimed and reconciled a bounded number of times. */
export function livelock(context: CheckerContext): Checker {
  const turns = context.column('u16');
  const { turnsAfterHeal } = context.knobs;
  let healed = false;

  function turn(at: number, slot: number, deliveryId: string): void {
    if (!healed || slot < 0 || turns.add(slot, 1) !== turnsAfterHeal + 1) return;
    const message = `taken up ${turnsAfterHeal + 1} times since the heal point without an end`;
    context.report({ invariant: 'L4', at, slot, deliveryId, message });
  }

  return {
    invariants: ['L4'],
    on: {
      heal() {
        healed = true;
      },
      claim({ at, verdict }, slot) {
        if (verdict.kind === 'granted') turn(at, slot, verdict.id);
      },
      reconcile({ at, request, verdict }, slot) {
        if (verdict.kind === 'moved') turn(at, slot, request.id);
      },
    },
  };
}
