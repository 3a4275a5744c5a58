import { SendonceError } from '@sendonce/core';
import { nearest } from '../nearest.ts';
import { csvRecords } from './csv-records.ts';
import { ADDRESS_COLUMNS } from './row.ts';

const KNOWN_COLUMNS = [...ADDRESS_COLUMNS, 'name', 'channel', 'id'];

export interface Header {
  readonly columns: readonly string[];
  readonly delimiter: string;
}

/** A header whose quotes do not add up. Taken as it stands it would give its columns other names than were meant. */
const OPEN_QUOTE =
  'has a double quote out of place: a name in quotes is closed on the same line, and a quote inside it is doubled';

/** What the first line says: the columns by name, and the delimiter that it uses most. `columnsOf`: what becomes of the names. */
export function csvHeader(
  text: string,
  line: number,
  columnsOf: (names: readonly string[]) => readonly string[],
): Header {
  const delimiter = delimiterOf(text);
  const records = csvRecords(text, delimiter);
  if (records === null) throw headerError(line, OPEN_QUOTE);
  const fields = records[0]?.fields ?? text.split(delimiter);
  const columns = columnsOf(fields.map((name) => name.trim()));
  const twice = columns.find((name, i) => name !== '' && columns.indexOf(name) !== i);
  if (twice !== undefined) throw new SendonceError('RECIPIENTS_FILE_INVALID', `the column '${twice}' is there twice`);
  return { delimiter, columns };
}

export function headerError(line: number, problem: string): SendonceError {
  return new SendonceError('RECIPIENTS_FILE_INVALID', `line ${line}, the header, ${problem}`);
}

function delimiterOf(header: string): string {
  const count = (delimiter: string): number => header.split(delimiter).length;
  return [';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best), ',');
}

/** The columns of a list of recipients, in whatever case they are written. */
export function recipientColumns(names: readonly string[]): string[] {
  if (names.length === 0)
    throw new SendonceError(
      'RECIPIENTS_FILE_INVALID',
      'the file is empty: it needs a header line and a row per recipient',
    );
  const columns = names.map((name) => {
    const known = [...KNOWN_COLUMNS, 'destinationId'].find((column) => column.toLowerCase() === name.toLowerCase());
    return known ?? name;
  });
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
    `no column is called to, email or phone.${hint} The header has ${found}`,
  );
}
