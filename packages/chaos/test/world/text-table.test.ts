import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextTable } from '../../src/world/text-table.ts';

// Expecting few it is a Map at first; expecting many, hashes from the start.
test.each([1, 30_000])('a text table that expects %i texts answers as a Map does', (expected) => {
  const step = fc.record({
    text: fc.string({ maxLength: 4 }),
    value: fc.nat({ max: 1_000_000 }),
    put: fc.constantFrom('add', 'set'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const table = new TextTable(expected);
      const map = new Map<string, number>();
      for (const { text, value, put } of steps) {
        if (put === 'set' || !map.has(text)) map.set(text, value);
        if (put === 'set') table.set(text, value);
        else expect(table.add(text, value)).toBe(map.get(text));
      }
      expect(table.size).toBe(map.size);
      for (const [text, value] of map) expect(table.get(text)).toBe(value);
      expect(table.get('not there')).toBe(-1);
    }),
  );
});

test('a text table keeps a hundred thousand texts apart', () => {
  const table = new TextTable(10);
  for (let n = 0; n < 100_000; n++) table.add(`d_${n.toString(36)}`, n);
  let wrong = 0;
  for (let n = 0; n < 100_000; n++) if (table.get(`d_${n.toString(36)}`) !== n) wrong++;
  expect([wrong, table.size]).toEqual([0, 100_000]);
});
