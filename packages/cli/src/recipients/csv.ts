import { SendonceError } from '@sendonce/core';
import { parse } from 'csv-parse/sync';
import { nearest } from '../nearest.ts';
import { ADDRESS_COLUMNS, rowOf, type RecipientRow } from './row.ts';

/** A quoted field may go over this many lines; a quote that is still open then was never meant to be closed. */
const MOST_LINES = 50;
const KNOWN_COLUMNS = [...ADDRESS_COLUMNS, 'name', 'channel', 'id'];

interface Header {
  readonly columns: readonly string[];
  readonly delimiter: string;
}

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
  const delimiter = delimiterOf(text);
  const record = recordsOf(text, delimiter)?.[0]?.fields ?? [];
  advance(state, 1);
  return { delimiter, columns: columnsOf(record) };
}

function delimiterOf(header: string): string {
  const count = (delimiter: string): number => header.split(delimiter).length;
  return [';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best), ',');
}

function columnsOf(fields: readonly string[]): string[] {
  const columns = fields.map((field) => {
    const name = field.trim();
    const known = [...KNOWN_COLUMNS, 'destinationId'].find((column) => column.toLowerCase() === name.toLowerCase());
    return known ?? name;
  });
  const twice = columns.find((name, i) => name !== '' && columns.indexOf(name) !== i);
  if (twice !== undefined) throw new SendonceError('RECIPIENTS_FILE_INVALID', `the column '${twice}' is there twice`);
  if (!columns.some((name) => (ADDRESS_COLUMNS as readonly string[]).includes(name))) throw noAddress(columns);
  return columns;
}

function noAddress(columns: readonly string[]): SendonceError {
  const looksLikeData = columns.some((name) => name.includes('@'));
  const close = columns.map((name) => nearest(name, ADDRESS_COLUMNS)).find((name) => name !== null);
  const hint = looksLikeData
    ? ' The first line has to name the columns.'
    : close === undefined
      ? ''
      : ` Did you mean ${close}?`;
  const found = columns.map((name) => `'${name}'`).join(', ');
  return new SendonceError(
    'RECIPIENTS_FILE_INVALID',
    `no column is called to, email or phone; the header has ${found}.${hint}`,
  );
}

/** All waiting lines at once: the quick way, for the usual file. Null when any of them needs a closer look. */
function wholeGroup({ columns, delimiter }: Header, { waiting, line }: Waiting): RecipientRow[] | null {
  const records = recordsOf(waiting.join('\n'), delimiter);
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
    const records = recordsOf(state.waiting.slice(0, lines).join('\n'), delimiter);
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

interface CsvRecord {
  readonly fields: readonly string[];
  /** The line that it ends on, from 1. */
  readonly lines: number;
}

/** Null when the quotes do not add up. */
function recordsOf(text: string, delimiter: string): CsvRecord[] | null {
  try {
    const records = parse(text, {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: '\n',
    }) as unknown as readonly { readonly record: readonly string[]; readonly info: { readonly lines: number } }[];
    return records
      .filter(({ record }) => record.some((field) => field.trim() !== ''))
      .map(({ record, info }) => ({ fields: record, lines: info.lines }));
  } catch {
    return null;
  }
}
