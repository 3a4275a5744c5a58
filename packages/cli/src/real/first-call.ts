import { isSendonceError, SendonceError } from '@sendonce/core';
import { withoutPassword } from './address.ts';

/**
 * What is made at a server before anything else. Where nobody is there, an adapter's own words are about work that is under way; here
 * there is none, and a person wants to read which address was wrong.
 */
export async function firstCall<T>(address: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isSendonceError(error, 'QUEUE_UNAVAILABLE') && !isSendonceError(error, 'LEDGER_UNAVAILABLE')) throw error;
    const said = networkWords(error);
    if (said === null) throw error;
    throw new SendonceError(error.code, `${withoutPassword(address)} does not answer (${said})`, { cause: error });
  }
}

/** What the network says of a connection that did not come about; null: it did. */
function networkWords(error: unknown): string | null {
  for (let each: unknown = error, depth = 0; each instanceof Error && depth < 5; depth += 1) {
    const { code, message, cause } = each as NodeJS.ErrnoException;
    // Of several addresses of one name each has its own words, and the whole has none.
    if (/^E[A-Z]+$/.test(code ?? '')) return message === '' ? (code ?? '') : message;
    each = cause;
  }
  return null;
}
