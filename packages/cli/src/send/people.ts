import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { normaliseAddress, SendonceError, toTarget, type AddressRules, type TargetInput } from '@sendonce/core';
import { readRecipients } from '../recipients/read-recipients.ts';
import type { RecipientRow } from '../recipients/row.ts';

/** A list of recipients that was looked through once; it is read again whenever it is needed, so that it is never held. */
export interface People {
  /** Rows that can be used, doubles included. */
  readonly count: number;
  read(): AsyncGenerator<TargetInput>;
}

/** A row that nobody can be reached by. */
export interface BadRow {
  readonly line: number;
  readonly reason: string;
}

/**
 * Looks the list through before anything is published. `bad` hears of each row that cannot be used.
 *
 * @throws SendonceError RECIPIENTS_FILE_INVALID when the file cannot be used, or nobody is left.
 */
export async function checkPeople(file: string, rules: AddressRules, bad: (row: BadRow) => void): Promise<People> {
  let count = 0;
  let first: BadRow | null = null;
  for await (const row of usable(file, rules)) {
    if (row.kind === 'recipient') {
      count += 1;
      continue;
    }
    first ??= row;
    bad(row);
  }
  if (count === 0) {
    const why = first === null ? 'it has no rows' : `no row is valid; line ${first.line}: ${first.reason}`;
    throw new SendonceError('RECIPIENTS_FILE_INVALID', `${basename(file)}: nobody to write to, ${why}`);
  }
  return {
    count,
    async *read() {
      for await (const row of usable(file, rules)) if (row.kind === 'recipient') yield row.input;
    },
  };
}

/** The rows, where one id with two addresses is a mistake: who is meant by it would be told at one of them only. */
async function* usable(file: string, rules: AddressRules): AsyncGenerator<RecipientRow> {
  const addresses = new Map<string, string>();
  for await (const rows of readRecipients(file, rules)) {
    for (const row of rows) {
      if (row.kind === 'invalid' || row.input.id === undefined) {
        yield row;
        continue;
      }
      const { channel, recipientId, destinationId, to } = toTarget(row.input, rules);
      const identity = shortHash(`${channel} ${recipientId} ${destinationId}`);
      const address = shortHash(normaliseAddress(channel, to));
      const before = addresses.get(identity);
      if (before === undefined) addresses.set(identity, address);
      yield before === undefined || before === address
        ? row
        : {
            kind: 'invalid',
            line: row.line,
            reason: `the id '${recipientId}' stands for another address already, further up`,
          };
    }
  }
}

/** All that has to be remembered of a row, however long its address is. */
function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
