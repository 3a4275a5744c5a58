import { isSendonceError, type ErrorCode, type Ledger, type SendonceError } from '@sendonce/core';
import { answering } from '../operate/answering.ts';

const ANSWER_MS = 10_000;

/** No waiting mends these: another program, another config or another file is needed. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'DRIVER_MISSING',
  'LEDGER_CORRUPT',
  'LEDGER_NEWER',
  'LEDGER_NOT_MIGRATED',
  'LEDGER_REFUSED',
  'OPTION_INVALID',
]);

/**
 * Asks the ledger something before the work begins. Null: it answered. An error: it did not, and may later.
 * @throws SendonceError that no waiting mends.
 */
export async function firstContact(ledger: Pick<Ledger, 'count'>): Promise<SendonceError | null> {
  try {
    await answering('count', ledger.count(), ANSWER_MS);
    return null;
  } catch (error) {
    if (!isSendonceError(error) || FINAL.has(error.code)) throw error;
    return error;
  }
}
