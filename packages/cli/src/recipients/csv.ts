import { csvHeader, headerError, type Header } from './csv-header.ts';
import { csvRecords } from './csv-records.ts';
import { TOO_LONG, type Line } from './lines.ts';
import { textProblem } from './text-problem.ts';
import type { RowShape } from './row-shape.ts';

/** A quoted field may go over this many lines; a quote that is still open then was never meant to be closed. */
const MOST_LINES = 50;

/**
 * Rows of a CSV file with a header (comma, semicolon or tab). A broken row costs itself alone: after one the reader starts again at
 * the next line, so that a stray quote cannot swallow the people below it.
 */
export async function* csvRows<Row>(
  groups: AsyncIterable<readonly Line[]>,
  shape: RowShape<Row>,
): AsyncGenerator<readonly Row[]> {
  const source = groups[Symbol.asyncIterator]();
  const state: { header: Header | null; waiting: Line[]; line: number } = { header: null, waiting: [], line: 1 };
  const pull = async (): Promise<boolean> => {
    const next = await source.next();
    if (next.done !== true) state.waiting = [...state.waiting, ...next.value];
    return next.done !== true;
  };
  try {
    while (state.waiting.length > 0 || (await pull())) {
      state.header ??= takeHeader(state, shape);
      const { header } = state;
      if (header === null) continue;
      const all = wholeGroup(header, state, shape);
      if (all !== null) {
        advance(state, state.waiting.length);
        yield all;
        continue;
      }
      for (let left = state.waiting.length; left > 0 && state.waiting.length > 0;) {
        const { row, lines } = await oneRecord({ header, shape, pull }, state);
        advance(state, lines);
        left -= lines;
        if (row !== null) yield [row];
      }
    }
  } finally {
    await source.return?.();
  }
  if (state.header === null) shape.columns([]);
}

interface Waiting {
  waiting: Line[];
  line: number;
}

function advance(state: Waiting, lines: number): void {
  state.waiting = state.waiting.slice(lines);
  state.line += lines;
}

function takeHeader(state: Waiting, shape: RowShape<unknown>): Header | null {
  const blank = state.waiting.findIndex((line) => line === null || line.trim() !== '');
  advance(state, blank < 0 ? state.waiting.length : blank);
  const text = state.waiting[0];
  if (text === undefined) return null;
  if (text === null) throw headerError(state.line, TOO_LONG);
  const problem = textProblem(text);
  if (problem !== null) throw headerError(state.line, problem);
  const header = csvHeader(text, state.line, (names) => shape.columns(names));
  advance(state, 1);
  return header;
}

/** All waiting lines at once: the quick way, for the usual file. Null when any of them needs a closer look. */
function wholeGroup<Row>(header: Header, { waiting, line }: Waiting, shape: RowShape<Row>): Row[] | null {
  if (waiting.includes(null)) return null;
  const records = csvRecords(waiting.join('\n'), header.delimiter);
  if (records === null || records.some(({ fields }) => fields.some((field) => field.includes('\n')))) return null;
  return records.map((record) => toRow(line + record.lines - 1, record.fields, header, shape));
}

interface Reading<Row> {
  readonly header: Header;
  readonly shape: RowShape<Row>;
  readonly pull: () => Promise<boolean>;
}

/** The record that starts at the first waiting line, however many lines it takes. */
async function oneRecord<Row>(
  { header, shape, pull }: Reading<Row>,
  state: Waiting,
): Promise<{ readonly row: Row | null; readonly lines: number }> {
  const { line } = state;
  const { delimiter } = header;
  if (state.waiting[0] === null) return { row: shape.invalid(line, TOO_LONG), lines: 1 };
  for (let lines = 1; lines <= MOST_LINES; lines++) {
    if (state.waiting.length < lines && !(await pull())) break;
    if (state.waiting[lines - 1] === null) break;
    // A line that is a row by itself was not meant to be inside the quotes of the one above.
    const below = (): Row => toRow(line, (state.waiting[lines - 1] ?? '').split(delimiter), header, shape);
    if (lines > 1 && shape.standsAlone(below())) break;
    const records = csvRecords(state.waiting.slice(0, lines).join('\n'), delimiter);
    if (records === null) continue;
    const [first] = records;
    if (first === undefined) return { row: null, lines };
    // Quotes that two rows left open make one of them that does not fit: only the first is to blame.
    if (lines > 1 && shape.isExact && countProblem(first.fields, header, shape) !== null) break;
    return { row: toRow(line, first.fields, header, shape), lines };
  }
  const reason = 'a double quote is out of place: put the field in quotes and double those inside';
  return { row: shape.invalid(line, reason), lines: 1 };
}

function toRow<Row>(line: number, fields: readonly string[], header: Header, shape: RowShape<Row>): Row {
  const problem = countProblem(fields, header, shape) ?? textProblem(fields.join(' '));
  if (problem !== null) return shape.invalid(line, problem);
  const { columns } = header;
  const named = columns.flatMap((name, i) => (name === '' ? [] : [[name, fields[i] ?? ''] as const]));
  return shape.row(line, Object.fromEntries(named));
}

function countProblem(
  fields: readonly string[],
  { columns }: Header,
  { isExact }: Pick<RowShape<unknown>, 'isExact'>,
): string | null {
  const isLonger = fields.slice(columns.length).some((field) => field.trim() !== '');
  if (!isLonger && !(isExact && fields.length < columns.length)) return null;
  return `has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'} where the header has ${columns.length}`;
}
