import { jsonProblem } from './json-problem.ts';
import { TOO_LONG, type Line } from './lines.ts';
import type { Fields, RowShape } from './row-shape.ts';
import { textProblem } from './text-problem.ts';

/** Rows of a file with one JSON object a line. */
export async function* ndjsonRows<Row>(
  groups: AsyncIterable<readonly Line[]>,
  shape: RowShape<Row>,
): AsyncGenerator<readonly Row[]> {
  let line = 0;
  for await (const group of groups) {
    const rows = group.map((text) => rowOfText(++line, text, shape));
    yield rows.filter((row) => row !== null);
  }
}

function rowOfText<Row>(line: number, text: Line, shape: RowShape<Row>): Row | null {
  if (text === null) return shape.invalid(line, TOO_LONG);
  if (text.trim() === '') return null;
  const problem = textProblem(text);
  if (problem !== null) return shape.invalid(line, problem);
  const value = parse(text);
  if (value === undefined) return shape.invalid(line, 'is not JSON');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return shape.invalid(line, `is not a JSON object, such as ${shape.example}`);
  }
  const changed = jsonProblem(text);
  return changed === null ? shape.row(line, value as Fields) : shape.invalid(line, changed);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
