import { SendonceError } from '@sendonce/core';
import { csvHeader, type Header } from './csv-header.ts';
import { csvRecords } from './csv-records.ts';
import { rowOf, type RecipientRow } from './row.ts';

/** A quoted field may go over this many lines; a quote that is still open then was never meant to be closed. */
const MOST_LINES = 50;

/**
 * Rows of a CSV file with a header (comma, semicolon or tab). A broken row costs itself alone: after one the reader starts again at
 * the next line, so that a stray quote cannot swallow the people below it.
 */
export async function* csvRows(groups: AsyncIterable<readonly string[]>): AsyncGenerator<readonly RecipientRow[]> {
  const source = groups[Symbol.asyncIterator]();
  const state: { header: Header | null; waiting: string[]; line: number } = { header: null, waiting: [], line: 1 };
  const pull = async (): Promise<boolean> => {
    const next = await source.next();
    if (next.done !== true) state.waiting = [...state.waiting, ...next.value];
    return next.done !== true;
  };
  try {
    while (state.waiting.length > 0 || (await pull())) {
      state.header ??= takeHeader(state);
      const { header } = state;
      if (header === null) continue;
      const all = wholeGroup(header, state);
      if (all !== null) {
        advance(state, state.waiting.length);
        yield all;
        continue;
      }
      for (let left = state.waiting.length; left > 0 && state.waiting.length > 0;) {
        const { row, lines } = await oneRecord(header, state, pull);
        advance(state, lines);
        left -= lines;
        if (row !== null) yield [row];
      }
    }
  } finally {
    await source.return?.();
  }
  if (state.header === null)
    throw new SendonceError(
      'RECIPIENTS_FILE_INVALID',
      'the file is empty: it needs a header line and a row per recipient',
    );
}

interface Waiting {
  waiting: string[];
  line: number;
}

function advance(state: Waiting, lines: number): void {
  state.waiting = state.waiting.slice(lines);
  state.line += lines;
}

function takeHeader(state: Waiting): Header | null {
  const blank = state.waiting.findIndex((line) => line.trim() !== '');
  advance(state, blank < 0 ? state.waiting.length : blank);
  const text = state.waiting[0];
  if (text === undefined) return null;
  advance(state, 1);
  return csvHeader(text);
}

/** All waiting lines at once: the quick way, for the usual file. Null when any of them needs a closer look. */
function wholeGroup({ columns, delimiter }: Header, { waiting, line }: Waiting): RecipientRow[] | null {
  const records = csvRecords(waiting.join('\n'), delimiter);
  if (records === null || records.some(({ fields }) => fields.some((field) => field.includes('\n')))) return null;
  return records.map((record) => toRow(line + record.lines - 1, record.fields, columns));
}

/** The record that starts at the first waiting line, however many lines it takes. */
async function oneRecord(
  { columns, delimiter }: Header,
  state: Waiting,
  pull: () => Promise<boolean>,
): Promise<{ readonly row: RecipientRow | null; readonly lines: number }> {
  const { line } = state;
  for (let lines = 1; lines <= MOST_LINES; lines++) {
    if (state.waiting.length < lines && !(await pull())) break;
    // A line that is a row by itself was not meant to be inside the quotes of the one above.
    const below = lines > 1 ? toRow(line, (state.waiting[lines - 1] ?? '').split(delimiter), columns) : null;
    if (below?.kind === 'recipient') break;
    const records = csvRecords(state.waiting.slice(0, lines).join('\n'), delimiter);
    const [first] = records ?? [];
    if (records !== null) return { row: first === undefined ? null : toRow(line, first.fields, columns), lines };
  }
  return {
    row: {
      kind: 'invalid',
      line,
      reason: 'a double quote is out of place: put the field in quotes and double those inside',
    },
    lines: 1,
  };
}

function toRow(line: number, fields: readonly string[], columns: readonly string[]): RecipientRow {
  const extra = fields.slice(columns.length).some((field) => field.trim() !== '');
  if (extra)
    return { kind: 'invalid', line, reason: `has ${fields.length} fields where the header has ${columns.length}` };
  return rowOf(line, Object.fromEntries(columns.flatMap((name, i) => (name === '' ? [] : [[name, fields[i] ?? '']]))));
}
