import { basename } from 'node:path';
import type { SendonceError } from '@sendonce/core';
import { STDIN } from './request.ts';

export type SendResult = 'accepted' | 'repeated' | 'conflict' | 'failed';

/** What became of one row; under `--json` a line of stdout. */
export interface SendLine {
  readonly result: SendResult;
  /** Of the notification; null where there is none, or its key is not known. */
  readonly id: string | null;
  readonly key: string | null;
  /** Where it was read: the name of the file, `-` for stdin, and the line, from 1. Null for `--data-json`. */
  readonly file: string | null;
  readonly line: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Where a row was read. */
export interface Place {
  readonly file: string | null;
  readonly line: number | null;
}

export const NOWHERE: Place = { file: null, line: null };

export function placeIn(file: string, line: number): Place {
  return { file: file === STDIN ? STDIN : basename(file), line };
}

export function refusedLine(
  place: Place,
  { code, message }: Pick<SendonceError, 'code' | 'message'>,
  named: { readonly id: string | null; readonly key: string | null } = { id: null, key: null },
): SendLine {
  const isConflict = code === 'NOTIFICATION_CONFLICT' || code === 'NOTIFICATION_SEALED';
  return { result: isConflict ? 'conflict' : 'failed', ...named, ...place, error: { code, message } };
}
