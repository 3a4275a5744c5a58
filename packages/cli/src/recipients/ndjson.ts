import type { Fields, RowShape } from './row-shape.ts';

/** Rows of a file with one JSON object a line. */
export async function* ndjsonRows<Row>(
  groups: AsyncIterable<readonly string[]>,
  shape: RowShape<Row>,
): AsyncGenerator<readonly Row[]> {
  let line = 0;
  for await (const group of groups) {
    const rows = group.map((text) => rowOfText(++line, text, shape));
    yield rows.filter((row) => row !== null);
  }
}

function rowOfText<Row>(line: number, text: string, shape: RowShape<Row>): Row | null {
  if (text.trim() === '') return null;
  const value = parse(text);
  if (value === undefined) return shape.invalid(line, 'is not JSON');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return shape.invalid(line, `is not a JSON object, such as ${shape.example}`);
  }
  return shape.row(line, value as Fields);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
