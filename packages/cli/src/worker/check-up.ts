import type { Counts, Ledger, Worker } from '@sendonce/core';
import { answering } from '../operate/answering.ts';
import { span } from '../operate/words.ts';
import type { Hashed } from './hashed.ts';
import type { Vitals } from './vitals.ts';

/** Shorter than a supervisor waits for an answer, ms. */
const ANSWER_MS = 2_000;
/** Whoever asks again within this time gets the same answer: asking must cost the ledger nothing, ms. */
const FRESH_MS = 1_000;

/** Whether a worker does its work; with reasons where it does not. */
export interface CheckUp {
  readonly healthy: boolean;
  readonly reasons: readonly string[];
  /** Null where the ledger does not answer. */
  readonly counts: Counts | null;
}

export interface Patient {
  readonly worker: Pick<Worker, 'healthy'>;
  readonly vitals: Vitals;
  readonly ledger: Pick<Ledger, 'count'>;
  readonly hashed: Hashed;
  /** Due for longer than this without anything being settled is no progress. */
  readonly noProgressMs: number;
  /** It sends; where it does not, what is due is the business of others. */
  readonly delivers: boolean;
  /** How long the ledger may take. @defaultValue 2_000 */
  readonly answerMs?: number;
}

/** Asks the worker, and the ledger itself: a call that never answers is a trouble that the worker cannot tell. */
export function checkUps(patient: Patient): () => Promise<CheckUp> {
  let last: { readonly at: number; readonly answer: Promise<CheckUp> } | null = null;
  return () => {
    const at = performance.now();
    if (last === null || at - last.at > FRESH_MS) last = { at, answer: checkUp(patient) };
    return last.answer;
  };
}

async function checkUp({ worker, vitals, ledger, hashed, ...rules }: Patient): Promise<CheckUp> {
  const reasons: string[] = [];
  let counts: Counts | null = null;
  try {
    counts = await answering('count', ledger.count(), rules.answerMs ?? ANSWER_MS);
  } catch (thrown) {
    reasons.push(thrown instanceof Error ? thrown.message : String(thrown));
  }
  const dueMs = counts?.oldestDueMs ?? Infinity;
  // What was due then may have been done by others since.
  const isStuck = vitals.saidNoProgress && rules.delivers && dueMs >= rules.noProgressMs;
  if (counts !== null && isStuck) reasons.push(`work has been due for ${span(dueMs)}, and this worker settled nothing`);
  reasons.push(...vitals.troubles);
  if (reasons.length === 0 && !worker.healthy() && !vitals.saidNoProgress) reasons.push('a part of it has ended');
  return { healthy: reasons.length === 0, reasons: reasons.map(hashed), counts };
}
