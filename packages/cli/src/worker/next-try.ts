import type { Ledger } from '@sendonce/core';
import { answering } from '../operate/answering.ts';

const ANSWER_MS = 2_000;

/** When the first of these is tried, or asked about, again, epoch ms; null where none is, or where the ledger cannot tell now. */
export async function nextTry(ledger: Pick<Ledger, 'find'>, ids: readonly string[]): Promise<number | null> {
  try {
    const found = await answering('find deliveries', ledger.find(ids), ANSWER_MS);
    const due = found.flatMap((record) =>
      record?.state === 'retry-scheduled' || record?.state === 'unknown' ? [record.dueAt] : [],
    );
    return due.length === 0 ? null : Math.min(...due);
  } catch {
    // The line is said without it; the worker's own calls tell that the ledger is out of reach.
    return null;
  }
}
