import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { between, draw, hashText, pick, unit } from '../../src/kernel/draw.ts';

describe('draw', () => {
  test('answers the same for the same address, and is not moved by other draws', () => {
    const before = draw(7, hashText('request'), 17, 0);
    for (let n = 0; n < 100; n++) draw(7, hashText('reply'), 3, n);
    expect(draw(7, hashText('request'), 17, 0)).toBe(before);
  });

  test('spreads evenly over neighbouring addresses', () => {
    const buckets = new Array<number>(16).fill(0);
    for (let entity = 0; entity < 16_000; entity++) buckets[draw(1, hashText('x'), entity, 0) >>> 28]!++;
    for (const count of buckets) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });

  test('differs when any part of the address differs', () => {
    const part = fc.nat({ max: 1_000_000 });
    fc.assert(
      fc.property(part, part, part, part, fc.integer({ min: 0, max: 3 }), (seed, label, entity, n, which) => {
        const address: [number, number, number, number] = [seed, label, entity, n];
        const other: [number, number, number, number] = [...address];
        other[which]!++;
        return draw(...address) !== draw(...other);
      }),
    );
  });

  test('gives units below one and numbers within their bounds', () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xffff_ffff }), fc.nat({ max: 100 }), fc.nat({ max: 100 }), (bits, least, more) => {
        expect(unit(bits)).toBeLessThan(1);
        const value = between(bits, least, least + more);
        return value >= least && value <= least + more && pick(bits, ['a', 'b']) !== undefined;
      }),
    );
    expect([between(0, 1, 3), between(0xffff_ffff, 1, 3)]).toEqual([1, 3]);
  });
});
