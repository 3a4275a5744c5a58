import { createReadStream } from 'node:fs';
import { basename, extname } from 'node:path';
import { SendonceError, type AddressRules } from '@sendonce/core';
import { nearest } from '../nearest.ts';
import { linesOf } from './lines.ts';
import { ndjsonRows } from './ndjson.ts';
import { recipientColumns } from './csv-header.ts';
import { rowOf, type RecipientRow } from './row.ts';
import type { RowShape } from './row-shape.ts';

/** What a recipients file may be called. */
export const RECIPIENT_FILES = ['.csv', '.ndjson', '.jsonl'] as const;

/**
 * Reads a recipients file group by group, each address by its channel's rule, never the whole of it at once. A bad row is one `invalid` row and costs nobody else theirs.
 *
 * @throws SendonceError `RECIPIENTS_FILE_INVALID` when the file cannot be read, is empty or has no column of addresses.
 */
export async function* readRecipients(path: string, rules: AddressRules = {}): AsyncGenerator<readonly RecipientRow[]> {
  const kind = extname(path).toLowerCase();
  if (!(RECIPIENT_FILES as readonly string[]).includes(kind)) {
    const meant = nearest(kind, RECIPIENT_FILES);
    throw new SendonceError(
      'RECIPIENTS_FILE_INVALID',
      `${path}: ${meant === null ? 'the' : `did you mean ${meant}? The`} name has to end in one of ${RECIPIENT_FILES.join(', ')}`,
    );
  }
  try {
    const shape: RowShape<RecipientRow> = {
      ...RECIPIENT_SHAPE,
      row: (line, fields) => rowOf(line, fields, rules),
    };
    const lines = linesOf(chunksOf(path));
    if (kind === '.csv') yield* (await import('./csv.ts')).csvRows(lines, shape);
    else yield* ndjsonRows(lines, shape);
  } catch (error) {
    throw fileError(path, error);
  }
}

export const RECIPIENT_SHAPE: RowShape<RecipientRow> = {
  columns: recipientColumns,
  row: rowOf,
  invalid: (line, reason) => ({ kind: 'invalid', line, reason }),
  standsAlone: ({ kind }) => kind === 'recipient',
  isExact: false,
  example: '{"to":"ann@example.com"}',
};

/** Opened only when somebody reads: an error of a stream that nobody listens to would end the process. */
export async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}

function fileError(path: string, error: unknown): SendonceError {
  return new SendonceError('RECIPIENTS_FILE_INVALID', `${basename(path)}: ${fileProblem(error)}`, { cause: error });
}

/** Why a file could not be read, in words. */
export function fileProblem(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EISDIR: 'this is a folder',
    EACCES: 'reading it is not allowed',
  };
  return reasons[code ?? ''] ?? (error instanceof Error ? error.message : String(error));
}
