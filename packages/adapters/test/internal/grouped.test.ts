import { expect, test } from 'vitest';
import { grouped } from '../../src/internal/api/grouped.ts';
import { codes, rows } from '../../src/internal/api/outcome-table.ts';

test('a table for the eyes joins neighbours that differ in one thing, and changes no order', () => {
  const table = [
    ...codes(400, ['a', 'b'], 'rejected message', 's'),
    ...codes(422, ['c'], 'rejected message', 's'),
    ...codes(null, ['d', 'e'], 'rejected message', 's'),
    ...rows([401, 403], 'rejected provider', 's'),
    ...rows([404], 'rejected provider', 't'),
    ...codes(400, ['f'], 'rejected message', 's'),
  ];
  expect(grouped(table).map(({ statuses, codes: some }) => [statuses, some])).toEqual([
    [[400], ['a', 'b']],
    [[422], ['c']],
    [[], ['d', 'e']],
    [[401, 403], []],
    [[404], []],
    [[400], ['f']],
  ]);
});
