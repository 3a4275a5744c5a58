import { describe, expect, test } from 'vitest';
import type { Announcement } from '../../src/processes/gate.ts';
import type { Whose } from '../../src/processes/scripts.ts';
import { Strikes, type CountedStrike, type Strike } from '../../src/processes/strikes.ts';

const anna: Whose = { kind: 'delivery', id: 'd_anna' };

function strike(over: Partial<Strike>): Strike {
  return { index: 0, do: 'kill', op: 'ledger.mark', whose: anna, nth: 1, phase: 'B', ms: 10, amount: 1, ...over };
}

let calls = 0;
function at(over: Partial<Announcement>): Announcement {
  return { call: ++calls, op: 'ledger.mark', phase: 'B', ids: ['d_bob', 'd_anna'], provider: null, ...over };
}

function strikesOf(...strikes: Strike[]): Strikes {
  return new Strikes({ strikes, counted: [], hasQueue: true });
}

function counted(moment: CountedStrike['moment'], hasQueue = true): Strikes {
  return new Strikes({ strikes: [], counted: [{ index: 0, acceptance: 2, moment, ms: 10 }], hasQueue });
}

const GO = { kind: 'answer', answer: { kind: 'go' } };
const AFTER = { kind: 'answer', answer: { kind: 'after' } };

describe('strikes', () => {
  const whose: readonly (readonly [Whose, Partial<Announcement>, boolean])[] = [
    [anna, {}, true],
    [anna, { ids: ['d_bob'] }, false],
    [anna, { op: 'ledger.settle' }, false],
    [{ kind: 'worker', name: 'w1' }, { ids: [] }, true],
    [{ kind: 'worker', name: 'w2' }, {}, false],
    [{ kind: 'provider', name: 'p0' }, { provider: 'p0' }, true],
    [{ kind: 'provider', name: 'p1' }, { provider: 'p0' }, false],
    [{ kind: 'any' }, { ids: null }, true],
  ];
  test.each(whose)('%j at %j: %s', (who, announcement, isStruck) => {
    const decision = strikesOf(strike({ whose: who })).decide('w1', at(announcement));
    expect(decision.kind).toBe(isStruck ? 'strike' : 'answer');
  });

  test('counts the calls of all workers together, and strikes once', () => {
    const strikes = strikesOf(strike({ nth: 2 }));
    const kinds = ['w1', 'w2', 'w3'].map((worker) => strikes.decide(worker, at({})).kind);
    expect(kinds).toEqual(['answer', 'strike', 'answer']);
  });

  test('waits until the call was applied where the phase is A', () => {
    const strikes = strikesOf(strike({ phase: 'A' }));
    const before = at({});
    expect(strikes.decide('w1', before)).toEqual(AFTER);
    // The same call number of another worker is another call.
    expect(strikes.decide('w2', { ...before, phase: 'A' })).toEqual(GO);
    expect(strikes.decide('w1', { ...before, phase: 'A' }).kind).toBe('strike');
  });

  test('learns from the reply whom a call is about that names nobody', () => {
    const strikes = strikesOf(strike({ op: 'ledger.claim' }));
    const before = at({ op: 'ledger.claim', ids: null });
    expect(strikes.decide('w1', before)).toEqual(AFTER);
    expect(strikes.decide('w1', { ...before, phase: 'A', ids: ['d_anna'] }).kind).toBe('strike');
  });

  test('cuts a batch before the item, and strikes when the rest was applied', () => {
    const strikes = strikesOf(strike({ do: 'kill-mid-batch' }));
    const before = at({});
    expect(strikes.decide('w1', before)).toEqual({ kind: 'answer', answer: { kind: 'cut', items: 1 } });
    expect(strikes.decide('w1', { ...before, phase: 'A' }).kind).toBe('strike');
  });

  test('strikes with a poison payload every time', () => {
    const strikes = strikesOf(strike({ do: 'poison' }));
    const kinds = [1, 2, 3].map(() => strikes.decide('w1', at({})).kind);
    expect(kinds).toEqual(['strike', 'strike', 'strike']);
  });

  test('before-send is the nth send of all', () => {
    const strikes = counted('before-send');
    const send = (): string => strikes.decide('w1', at({ op: 'provider.send', ids: ['d_x'] })).kind;
    expect([send(), send(), send()]).toEqual(['answer', 'kill', 'answer']);
    expect(strikes.ops).toEqual(['provider.send']);
  });

  const later: readonly (readonly [CountedStrike['moment'], boolean, string])[] = [
    ['before-ack', true, 'queue.ack'],
    ['before-ack', false, 'ledger.settle'],
    ['mid-batch', true, 'ledger.settle'],
  ];
  test.each(later)('%s (with a queue: %s) is at %s of the delivery that was accepted then', (moment, hasQueue, op) => {
    const strikes = counted(moment, hasQueue);
    const call = at({ op: op as Announcement['op'] });
    expect(strikes.decide('w1', call)).toEqual(GO);
    strikes.accepted(2, 'd_anna');
    expect(strikes.ops).toEqual([op]);
    const decision = strikes.decide('w1', { ...call, call: ++calls });
    expect(decision).toMatchObject(moment === 'mid-batch' ? { answer: { kind: 'cut', items: 1 } } : { kind: 'kill' });
  });

  test('after-accept asks workers for nothing', () => {
    expect(counted('after-accept').ops).toEqual([]);
  });
});
