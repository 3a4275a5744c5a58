import type { Checker, CheckerContext } from './checker.ts';

/** S2: every acceptance was preceded by a durable mark of that attempt, made by the process that sent it. */
export function writeAhead(context: CheckerContext): Checker {
  const { attempts } = context;
  return {
    invariants: ['S2'],
    on: {
      provider({ at, process, outcome, deliveryId, provider, attempt }, slot) {
        if (outcome !== 'accepted') return;
        const mark = attempts.markOf(slot, attempt, process);
        if (mark === 'own') return;
        const message =
          mark === null
            ? `${provider} took attempt ${attempt}, which nobody had marked`
            : `${provider} took attempt ${attempt} from ${process}, and another process had marked it`;
        context.report({ invariant: 'S2', at, slot, deliveryId, message });
      },
    },
  };
}
