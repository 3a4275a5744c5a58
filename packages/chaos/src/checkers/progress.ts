import type { Checker, CheckerContext } from './context.ts';
import type { EndFacts } from './facts.ts';

interface Rest {
  readonly from: number;
  readonly until: number;
  readonly slot: number;
}

/**
 * L1: while one healthy path exists, work that is there goes on. Making deliveries ends a rest without blame: there may have been
 * nothing to do. A claim, mark, outcome or reconciliation ends one with blame, for it shows that its delivery had been waiting.
 */
export function progress(context: CheckerContext): Checker {
  const { progressMs } = context.knobs;
  const longest = progressMs ?? Infinity;
  const rests: Rest[] = [];
  let last = 0;

  function step(at: number, slot: number): void {
    if (at - last > longest && slot >= 0) rests.push({ from: last, until: at, slot });
    last = at;
  }

  function isBlamed({ from, until }: Rest, { liveness }: EndFacts): boolean {
    return liveness.healthy.some((path) => Math.min(until, path.until) - Math.max(from, path.from) > longest);
  }

  return {
    invariants: ['L1'],
    on:
      progressMs === null
        ? {}
        : {
            add: ({ at }) => step(at, -1),
            replay: ({ at }) => step(at, -1),
            claim: ({ at, verdict }, slot) => verdict.kind === 'granted' && step(at, slot),
            mark: ({ at }, slot) => step(at, slot),
            settle: ({ at }, slot) => step(at, slot),
            reconcile: ({ at }, slot) => step(at, slot),
          },
    end(facts) {
      for (const rest of rests) {
        if (!isBlamed(rest, facts)) continue;
        const message = `nothing moved for ${rest.until - rest.from} ms although a healthy path existed and this delivery was waiting`;
        context.report({ invariant: 'L1', at: rest.until, slot: rest.slot, deliveryId: null, message });
      }
    },
  };
}
