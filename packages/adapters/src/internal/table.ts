import type { Rule } from '@sendonce/core/internal';

const TABLE = /^[a-z_][a-z0-9_]{0,54}(?:\.[a-z_][a-z0-9_]{0,54})?$/;

/** Its name is written into statements, so it may only be one that needs no quoting anywhere. */
export const TABLE_RULE: Rule = {
  must: "the name of a table, also as 'schema.table': small letters, digits and _",
  fits: (value) => typeof value === 'string' && TABLE.test(value),
};

/** For the names of indexes, which stand in the table's own schema. */
export function plainName(table: string): string {
  return table.slice(table.indexOf('.') + 1);
}
