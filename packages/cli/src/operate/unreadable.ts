import { kindOf, SendonceError, type Ledger } from '@sendonce/core';
import { answering } from './answering.ts';

/**
 * Whether what `find` does not answer is there all the same. A ledger leaves out what it cannot read; but the story of a delivery is
 * kept apart from its record, and a page that ends before its time has something on it that was left out.
 */
export async function isUnreadable(ledger: Ledger, id: string): Promise<boolean> {
  if (kindOf(id) === 'delivery') return (await answering('tell a story', ledger.history(id))).length > 0;
  const { items, cursor } = await answering('list deliveries', ledger.list({ notificationId: id }, { limit: 1 }));
  return items.length > 0 || cursor !== null;
}

/** Not 'no such': whoever reads that looks for another ledger, or publishes it again. */
export function unreadable({ capabilities: { file } }: Ledger, what: string, id: string): SendonceError {
  const where = file === null ? '' : ` (${file})`;
  return new SendonceError(
    'LEDGER_CORRUPT',
    `${what} ${JSON.stringify(id)} is in this ledger${where}, but its record cannot be read: it is damaged, or a later release wrote it. ` +
      'It is left alone and nothing is sent from it. Use the latest release here; if that is it, keep a copy of the ledger and mend the row, ' +
      'or publish what is still wanted under another key',
  );
}
