import type { Checker, CheckerContext } from './checker.ts';
import type { Handlers } from './handlers.ts';
import type { EndFacts } from './facts.ts';

interface Rest {
  readonly from: number;
  readonly until: number;
  readonly slot: number;
}

/**
 * L1: while one healthy path exists, work that is due is taken up. Only a grant and a reconciliation show that a delivery had been
 * waiting; everything else that moves ends a rest without blame, as a late outcome of a worker that slept does.
 */
export function progress(context: CheckerContext): Checker {
  const { progressMs } = context.knobs;
  const longest = progressMs ?? Infinity;
  const rests: Rest[] = [];
  let last = 0;

  function moved(at: number): void {
    last = at;
  }

  function takenUp(at: number, slot: number, dueAt: number): void {
    const from = Math.max(last, dueAt);
    if (at - from > longest) rests.push({ from, until: at, slot });
    last = at;
  }

  function isBlamed({ from, until }: Rest, { liveness }: EndFacts): boolean {
    return liveness.healthy.some((path) => Math.min(until, path.until) - Math.max(from, path.from) > longest);
  }

  const watched: Handlers = {
    add: ({ at }) => moved(at),
    replay: ({ at }) => moved(at),
    mark: ({ at }) => moved(at),
    settle: ({ at }) => moved(at),
    claim({ at, verdict }, slot) {
      if (verdict.kind === 'granted') takenUp(at, slot, verdict.record.dueAt);
    },
    reconcile({ at, verdict }, slot) {
      if (verdict.kind === 'moved') takenUp(at, slot, 0);
    },
  };

  return {
    invariants: ['L1'],
    on: progressMs === null ? {} : watched,
    end(facts) {
      for (const rest of rests) {
        if (!isBlamed(rest, facts)) continue;
        const message = `nothing moved for ${rest.until - rest.from} ms although a healthy path existed and this delivery was waiting`;
        context.report({ invariant: 'L1', at: rest.until, slot: rest.slot, deliveryId: null, message });
      }
    },
  };
}
