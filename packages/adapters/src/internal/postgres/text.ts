/*
 * How values travel. Every parameter of every statement is one text, and every column that comes back is a text or null, so that any
 * library that can send a statement with values will do: none of them has to know our arrays, numbers or JSON.
 */

/** Stands between the values of a column. JSON has no raw control characters, so no value holds it. */
const SEPARATOR = '\u001e';
/** The same in SQL. */
const SQL_SEPARATOR = `E'\\x1e'`;

/** Null, and the empty text, is NULL there. */
function column(values: Cells): string {
  return values.join(SEPARATOR);
}

type Cells = readonly (string | number | boolean | null)[];
/** Columns of rows: names and values. */
export type Columns = readonly (readonly [title: string, cells: Cells])[];

/** The parameters of one statement. */
export interface Parameters {
  readonly values: readonly string[];
  /** Adds one text; answers how SQL names it. */
  readonly add: (value: string | number) => string;
  /** Adds rows; answers a FROM item of them, `name(columns)`, all of them texts. */
  readonly table: (name: string, columns: Columns) => string;
}

export function parameters(): Parameters {
  const values: string[] = [];
  function add(value: string | number): string {
    values.push(String(value));
    return `$${values.length}::text`;
  }
  return {
    values,
    add,
    table(name, columns) {
      const arrays = columns.map(([, cells]) => `string_to_array(${add(column(cells))}, ${SQL_SEPARATOR}, '')`);
      return `unnest(${arrays.join(', ')}) AS ${name}(${columns.map(([title]) => title).join(', ')})`;
    },
  };
}
