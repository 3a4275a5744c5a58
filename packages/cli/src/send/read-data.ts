import { SendonceError } from '@sendonce/core';
import { linesOf } from '../recipients/lines.ts';
import { ndjsonRows } from '../recipients/ndjson.ts';
import { chunksOf, fileProblem } from '../recipients/read-recipients.ts';
import type { Fields, RowShape } from '../recipients/row-shape.ts';
import { STDIN, type DataFormat } from './request.ts';

/** One row of a file of data: what a notification is about, or the reason why it is none. */
export type DataRow =
  | { readonly kind: 'data'; readonly line: number; readonly data: Fields }
  | { readonly kind: 'invalid'; readonly line: number; readonly reason: string };

/**
 * Reads rows group by group as they come in, never the whole of a file. A bad row is one `invalid` row and costs nobody else theirs.
 *
 * @throws SendonceError FLAG_INVALID when the file cannot be read.
 */
export async function* readData(file: string, format: DataFormat): AsyncGenerator<readonly DataRow[]> {
  try {
    const lines = linesOf(file === STDIN ? (process.stdin as AsyncIterable<Uint8Array>) : chunksOf(file));
    if (format === 'csv') yield* (await import('../recipients/csv.ts')).csvRows(lines, CSV_DATA);
    else yield* ndjsonRows(lines, DATA);
  } catch (error) {
    throw new SendonceError('FLAG_INVALID', `--data ${JSON.stringify(file)}: ${fileProblem(error)}`, { cause: error });
  }
}

const DATA: RowShape<DataRow> = {
  columns: (names) => names,
  row: (line, data) => ({ kind: 'data', line, data }),
  invalid: (line, reason) => ({ kind: 'invalid', line, reason }),
  // Whatever stands inside quotes may look like a row.
  standsAlone: () => false,
  isExact: true,
  example: '{"id":17}',
};

/** A field of a CSV file that is empty is one that is not there. */
const CSV_DATA: RowShape<DataRow> = {
  ...DATA,
  row: (line, fields) => DATA.row(line, Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''))),
};
