import { basename } from 'node:path';
import { normaliseAddress, SendonceError, toTarget, type AddressRules, type TargetInput } from '@sendonce/core';
import type { InvalidRow } from '@sendonce/chaos';
import { readRecipients } from './read-recipients.ts';
import type { RecipientRow } from './row.ts';

/** A recipients file as a run needs it: rows = targets + doubles + invalid. */
export interface Recipients {
  readonly source: string;
  readonly rows: number;
  /** One for each recipient, in the order of the file. */
  readonly targets: readonly TargetInput[];
  /** Rows that name somebody a second time. */
  readonly doubles: readonly TargetInput[];
  readonly invalid: readonly InvalidRow[];
}

/** Reads the whole list by the rules of a config, telling doubles from recipients. @throws SendonceError `RECIPIENTS_FILE_INVALID` when nobody is left. */
export async function collectRecipients(path: string, rules: AddressRules = {}): Promise<Recipients> {
  const targets: TargetInput[] = [];
  const doubles: TargetInput[] = [];
  const invalid: InvalidRow[] = [];
  const seen = new Map<string, string>();
  for await (const rows of readRecipients(path, rules)) {
    for (const row of rows) {
      const verdict = judge(row, seen, rules);
      if (verdict.kind === 'invalid') invalid.push({ line: verdict.line, reason: verdict.reason });
      else (verdict.kind === 'double' ? doubles : targets).push(verdict.input);
    }
  }
  if (targets.length === 0) throw nobody(path, invalid);
  return { source: basename(path), rows: targets.length + doubles.length + invalid.length, targets, doubles, invalid };
}

type Verdict =
  Extract<RecipientRow, { kind: 'invalid' }> | { readonly kind: 'target' | 'double'; readonly input: TargetInput };

function judge(row: RecipientRow, seen: Map<string, string>, rules: AddressRules): Verdict {
  if (row.kind === 'invalid') return row;
  const { channel, recipientId, destinationId, to } = toTarget(row.input, rules);
  const identity = `${channel} ${recipientId} ${destinationId}`;
  const address = normaliseAddress(channel, to);
  const before = seen.get(identity);
  seen.set(identity, before ?? address);
  if (before === undefined) return { kind: 'target', input: row.input };
  // Merging these would leave one of two addresses without its message, and nobody would see it.
  if (before !== address)
    return { kind: 'invalid', line: row.line, reason: `the id '${recipientId}' stands for ${before} already` };
  return { kind: 'double', input: row.input };
}

function nobody(path: string, [first]: readonly InvalidRow[]): SendonceError {
  const why = first === undefined ? 'it has no rows' : `no row is valid; line ${first.line}: ${first.reason}`;
  return new SendonceError('RECIPIENTS_FILE_INVALID', `${basename(path)}: nobody to write to, ${why}`);
}
