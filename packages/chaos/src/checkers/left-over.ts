import type { Checker, CheckerContext } from './checker.ts';

/** L6: in the end the queue is empty, and holds no wake without a record. */
export function leftOver(context: CheckerContext): Checker {
  return {
    invariants: ['L6'],
    on: {},
    end({ liveness: { queue, endedAt: at } }) {
      if (queue === null) return;
      for (const id of queue.orphans)
        context.report({
          invariant: 'L6',
          at,
          slot: -1,
          deliveryId: null,
          message: `the queue holds a wake for ${id}, which has no record`,
        });
      if (queue.depth > queue.orphans.length)
        context.report({
          invariant: 'L6',
          at,
          slot: -1,
          deliveryId: null,
          message: `the queue still holds ${queue.depth} wakes`,
        });
    },
  };
}
