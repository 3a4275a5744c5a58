import { describe, expect, test } from 'vitest';
import { DELIVERY_STATES, isDeadLetter, isSettled, TRANSITIONS, type DeliveryState } from '../../src/index.ts';
import { ACTIVE_STATES, FINAL_STATES, SETTLED_STATES } from '../../src/model/delivery.ts';
import { move, RefusedMove } from '../../src/model/steps/move.ts';
import { delivery, T0 } from '../support/record.ts';

const PAIRS = DELIVERY_STATES.flatMap((from) =>
  DELIVERY_STATES.filter((to) => to !== from).map((to) => ({ from, to })),
);
const declared = PAIRS.filter(({ from, to }) => TRANSITIONS[from].includes(to));
const undeclared = PAIRS.filter(({ from, to }) => !TRANSITIONS[from].includes(to));

describe('the table of transitions', () => {
  test.each(declared)('allows $from -> $to', ({ from, to }) => {
    expect(move(delivery({ state: from }), to, T0 + 1)).toMatchObject({ state: to, updatedAt: T0 + 1 });
  });

  test.each(undeclared)('refuses $from -> $to', ({ from, to }) => {
    expect(() => move(delivery({ state: from }), to, T0)).toThrow(RefusedMove);
  });

  test('names no state that does not exist', () => {
    expect(
      new Set(
        Object.values(TRANSITIONS)
          .flat()
          .filter((state) => !DELIVERY_STATES.includes(state)),
      ),
    ).toEqual(new Set());
  });

  test('lets nothing that left or gave up be worked on again', () => {
    const over: readonly DeliveryState[] = [...SETTLED_STATES, ...FINAL_STATES];
    const back = declared.filter(
      ({ from, to }) => over.includes(from) && (ACTIVE_STATES as readonly string[]).includes(to),
    );
    expect(back).toEqual([]);
  });

  test('marks only what is being processed', () => {
    expect(declared.filter(({ to }) => to === 'dispatching')).toEqual([{ from: 'processing', to: 'dispatching' }]);
  });

  test('lets `dispatching` never go back to what a lease frees', () => {
    expect(TRANSITIONS.dispatching).not.toContain('queued');
    expect(TRANSITIONS.dispatching).not.toContain('processing');
  });
});

describe('a move', () => {
  const holding = { leaseUntil: T0 + 1, dispatchUntil: T0 + 2, owner: 'w', requestId: 'r' };

  test.each([
    { from: 'processing', to: 'queued', left: { leaseUntil: null, dispatchUntil: null, owner: null } },
    { from: 'processing', to: 'dispatching', left: { leaseUntil: null, dispatchUntil: T0 + 2, owner: 'w' } },
    { from: 'dispatching', to: 'unknown', left: { leaseUntil: null, dispatchUntil: null, owner: null } },
  ] as const)('from $from to $to leaves no lease or window behind that is over', ({ from, to, left }) => {
    expect(move(delivery({ ...holding, state: from }), to, T0)).toMatchObject(left);
  });

  test('keeps the moment at which it first settled', () => {
    const sent = move(delivery({ state: 'dispatching' }), 'sent', T0 + 1);
    expect(sent.settledAt).toBe(T0 + 1);
    expect(move(sent, 'delivered', T0 + 9).settledAt).toBe(T0 + 1);
  });
});

describe('a state', () => {
  test.each(DELIVERY_STATES)('%s is active or settled', (state) => {
    expect(isSettled(state)).toBe(!(ACTIVE_STATES as readonly string[]).includes(state));
  });

  test('is a dead letter when somebody has to decide', () => {
    expect(DELIVERY_STATES.filter(isDeadLetter)).toEqual(['parked', 'failed', 'dead']);
  });
});
