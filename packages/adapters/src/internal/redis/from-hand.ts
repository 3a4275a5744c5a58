import type { Records, Transaction } from '@sendonce/core/records';
import { known, type Known } from '../ahead/known.ts';
import { runOf, type Run } from '../ahead/run.ts';
import type { Remembered } from './remembered.ts';
import type { RedisStore } from './store.ts';

export interface FromHandOptions {
  readonly store: RedisStore;
  readonly memory: Remembered;
  readonly quarantineMs: number;
}

/** What a call came to. */
export interface Acted<T> {
  readonly result: T;
  readonly run: Run;
  readonly known: Known;
}

/**
 * Runs one call of the port over what this process has in hand, in one script: the one that writes. Also a call that changes nothing is
 * answered by it: without, its verdict would rest on nothing that Redis has said. Null: the call has to read, because it looks at more, or
 * something is not as it was left.
 */
export async function fromHand<T>(
  work: (records: Records) => T,
  { ids = [] }: Transaction,
  { store, memory, quarantineMs }: FromHandOptions,
): Promise<Acted<T> | null> {
  const deliveries = new Set(ids);
  const found = memory.found(deliveries);
  if (found === null) return null;
  const seen = known();
  seen.enter(found, { deliveries, notifications: NONE, questions: [] });
  const run = runOf(seen, { quarantineMs, skip: () => 0 });
  const tried = attempt(work, run.records);
  if (tried === null || seen.missing() !== null) return null;
  return (await store.writeFromHand(run, seen)) ? { result: tried.result, run, known: seen } : null;
}
const NONE: ReadonlySet<string> = new Set();

/** What a run threw that had to guess may be the guess's fault. */
function attempt<T>(work: (records: Records) => T, records: Records): { readonly result: T } | null {
  try {
    return { result: work(records) };
  } catch {
    return null;
  }
}
