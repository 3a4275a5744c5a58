import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frozenCopy, jsonCopy, NotJson } from '../../src/model/json.ts';

const circular: Record<string, unknown> = { id: 1 };
circular['self'] = { back: circular };
const deep = (levels: number): unknown => (levels === 0 ? 'bottom' : { down: deep(levels - 1) });

describe('a JSON copy', () => {
  test.each<[what: string, given: unknown, kept: unknown]>([
    ['text', 'a\u{1F600}', 'a\u{1F600}'],
    ['a number', -1.5, -1.5],
    ['nothing less than nothing', -0, 0],
    ['null', { a: null }, { a: null }],
    ['a field that is undefined', { a: undefined, b: 1 }, { b: 1 }],
    ['a list with a hole and an undefined', [1, undefined, 3], [1, null, 3]],
    ['a Date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['what has toJSON', { money: { toJSON: (field: string) => `${field}: 7` } }, { money: 'money: 7' }],
    [
      'a class of its own fields',
      new (class {
        a = 1;
      })(),
      { a: 1 },
    ],
    ['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
    ['a field named __proto__', JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
    [
      'the same object twice, without a cycle',
      [circular['id'], ...[{ a: 1 }].flatMap((one) => [one, one])],
      [1, { a: 1 }, { a: 1 }],
    ],
    ['a hundred levels', deep(100), deep(100)],
  ])('keeps %s', (_what, given, kept) => {
    expect(jsonCopy(given, 'data')).toEqual(kept);
    expect(JSON.stringify(jsonCopy(given, 'data'))).toBe(JSON.stringify(kept));
  });

  test.each<[what: string, given: unknown, problem: RegExp]>([
    ['a bigint', { a: [1n] }, /^data\.a\[0\] is a bigint/],
    ['NaN', { a: NaN }, /^data\.a is NaN$/],
    ['Infinity', [-Infinity], /^data\[0\] is -Infinity$/],
    ['a function', { a: { b: () => 1 } }, /^data\.a\.b is a function$/],
    ['a symbol', { a: Symbol('x') }, /^data\.a is a symbol$/],
    ['a Map', { a: new Map([[1, 2]]) }, /^data\.a is a Map: give plain values$/],
    ['a Set', { a: new Set([1]) }, /^data\.a is a Set/],
    ['a promise', { a: Promise.resolve(1) }, /^data\.a is a Promise/],
    ['an error', { a: new Error('x') }, /^data\.a is an Error/],
    ['a pattern', { a: /x/ }, /^data\.a is a RegExp/],
    ['a boxed text', { a: Object('x') as unknown }, /^data\.a is a String/],
    ['bytes', { a: new Uint8Array(2) }, /^data\.a is binary data \(Uint8Array\): .*base64$/],
    ['a Buffer, in spite of its toJSON', { a: Buffer.from('x') }, /^data\.a is binary data/],
    ['an ArrayBuffer', { a: new ArrayBuffer(1) }, /^data\.a is binary data \(ArrayBuffer\)/],
    ['a date that is none', { a: new Date('soon') }, /^data\.a is an invalid Date$/],
    ['a cycle', circular, /^data\.self\.back is a circular reference$/],
    [
      'a toJSON that answers itself',
      {
        a: {
          toJSON() {
            return this;
          },
        },
      },
      /^data\.a is a circular reference$/,
    ],
    ['more than a hundred levels', deep(101), /nested deeper than 100 levels$/],
  ])('refuses %s, and names the place', (_what, given, problem) => {
    expect(() => jsonCopy(given, 'data')).toThrow(NotJson);
    expect(() => jsonCopy(given, 'data')).toThrow(problem);
  });

  test('is what JSON makes of JSON values, shares nothing with them, and cannot be changed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = jsonCopy(value, 'data');
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
        expectFrozen(copy, value);
      }),
      { seed: 1 },
    );
  });

  test('of what a ledger keeps is made once, and is itself when it is asked for again', () => {
    const kept = { a: { b: [1] } };
    const copy = frozenCopy(kept, 'data');
    expect(copy).toEqual(kept);
    expectFrozen(copy, kept);
    expect(frozenCopy(kept, 'data')).toBe(copy);
    expect(frozenCopy(copy, 'data')).toBe(copy);
    expect([null, 'text', undefined].map((each) => frozenCopy(each, 'data'))).toEqual([null, 'text', undefined]);
  });
});

function expectFrozen(copy: unknown, of: unknown): void {
  if (typeof copy !== 'object' || copy === null) return;
  expect(copy).not.toBe(of);
  expect(Object.isFrozen(copy)).toBe(true);
  for (const field of Object.keys(copy))
    expectFrozen((copy as Record<string, unknown>)[field], (of as Record<string, unknown>)[field]);
}
