import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Column, type ColumnKind } from '../../src/checkers/column.ts';

const MANY = 150_000;
const slot = fc.oneof(fc.nat(20), fc.nat(30_000), fc.nat(MANY + 20_000));
const whole = fc.oneof(fc.nat(3), fc.nat(300), fc.nat(70_000), fc.nat(0xffff_ffff));
const any = fc.oneof(
  whole,
  fc.double({ noNaN: true }),
  fc.constantFrom(0, 2 ** 31, 1.7e15, 1.7e15 + 1, 1.7e15 + 2 ** 33, -5, 0.5),
);
const KINDS: readonly [ColumnKind, number, fc.Arbitrary<number>][] = [
  ['u8', 0x100, whole],
  ['u16', 0x1_0000, whole],
  ['u32', 0x1_0000_0000, whole],
  ['f64', Infinity, any],
];

describe.each(KINDS)('a column of %s', (kind, range, value) => {
  test.each([0, 10, MANY])('made for %i slots gives back what was set, wherever and in whatever order', (size) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(slot, value), { maxLength: 60 }), (writes) => {
        const column = new Column(kind, size);
        const expected = new Map<number, number>();
        for (const [at, each] of writes) {
          column.set(at, each);
          // Minus zero is zero to whoever compares.
          expected.set(at, (range === Infinity ? each : each % range) + 0);
        }
        for (const [at, each] of expected) expect(column.get(at) + 0).toBe(each);
        expect(column.get(MANY + 50_000)).toBe(0);
        column.clear();
        for (const at of expected.keys()) expect(column.get(at)).toBe(0);
      }),
    );
  });
});
