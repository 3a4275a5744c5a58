import { rowOf, type RecipientRow } from './row.ts';

/** Rows of a file with one JSON object a line. */
export async function* ndjsonRows(groups: AsyncIterable<readonly string[]>): AsyncGenerator<readonly RecipientRow[]> {
  let line = 0;
  for await (const group of groups) {
    const rows = group.map((text) => rowOfText(++line, text));
    yield rows.filter((row) => row !== null);
  }
}

function rowOfText(line: number, text: string): RecipientRow | null {
  if (text.trim() === '') return null;
  const value = parse(text);
  if (value === undefined) return { kind: 'invalid', line, reason: 'is not JSON' };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'invalid', line, reason: 'is not a JSON object, such as {"to":"ann@example.com"}' };
  }
  return rowOf(line, value as Readonly<Record<string, unknown>>);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
