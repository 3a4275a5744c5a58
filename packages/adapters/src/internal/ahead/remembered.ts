import type { DeliveryRecord } from '@sendonce/core';
import { NOT_READ } from '../sqlite/delivery-row.ts';
import type { AheadStore } from './ahead-store.ts';
import type { Known } from './known.ts';
import type { Memory } from './memory.ts';
import type { Question } from './questions.ts';
import type { Run } from './run.ts';

/**
 * Whether the write of this run will prove all that it took from memory: what it changes has to have the version that was remembered. A
 * call that leaves something as it was (a verdict `fenced`, a repeat) rests on what nobody proves, and has to read.
 */
export function isProven(run: Run, { recalled, store }: Known, makesDeliveries: boolean): boolean {
  // Whether the memory is lost is decided on what was read.
  if (store === null || recalled.deliveries.size + recalled.notifications.size === 0) return true;
  let proven = 0;
  for (const { id, isDirty } of run.deliveries.entries()) if (isDirty && recalled.deliveries.has(id)) proven += 1;
  if (proven < recalled.deliveries.size) return false;
  let changed = 0;
  for (const { id, isDirty, record } of run.notifications.entries()) {
    if (!isDirty || !recalled.notifications.has(id)) continue;
    // It is over only when nothing of it is open, and that count is not what a version stands for.
    if (record.state === 'done') return false;
    changed += 1;
  }
  // As a parent it is only looked at: a cancel changes each of its deliveries, and so their versions.
  return changed === (makesDeliveries ? recalled.notifications.size : 0);
}

/** What was written is remembered while it is in this process's hands. */
export function keepWritten(run: Run, known: Known, store: AheadStore, memory: Memory): void {
  const versionAfter = (version: string | null): string => store.versionAfter?.(version) ?? '';
  for (const { id, fact, record, isDirty, isRemoved } of run.deliveries.entries()) {
    if (!isDirty) continue;
    if (isRemoved || !isInHand(record)) {
      memory.dropDelivery(id);
      continue;
    }
    const version = versionAfter(fact?.version ?? null);
    memory.keepDelivery({ id, version, notification: record.notificationId, record });
    const parent = known.notification(record.notificationId);
    if (parent) memory.keepParent(parent);
  }
  for (const { id, fact, record, open, isDirty } of run.notifications.entries()) {
    if (!isDirty) continue;
    if (record.leaseUntil === null) memory.dropExpanding(id);
    else memory.keepExpanding({ id, version: versionAfter(fact?.version ?? null), open, record });
  }
}

/** What turned out not to be so any more. */
export function forget({ recalled }: Known, memory: Memory | null): null {
  for (const id of recalled.deliveries) memory?.dropDelivery(id);
  for (const id of recalled.notifications) memory?.dropExpanding(id);
  return null;
}

/** A message that was not read must not be taken for the one that is frozen. */
function isInHand({ state, message }: DeliveryRecord): boolean {
  return (state === 'processing' || state === 'dispatching') && message !== NOT_READ;
}

/**
 * The page after the one that this call answers with, read while the call is written. What is sealed never changes, so it may be read at
 * any time.
 */
export async function pagesAhead(run: Run, store: AheadStore, memory: Memory): Promise<void> {
  const questions: Question[] = [];
  for (const { id, record, isDirty } of run.notifications.entries()) {
    const { sealed, leaseUntil, cursor, pages } = record;
    if (isDirty && sealed && leaseUntil !== null && cursor + 1 < pages)
      questions.push({ kind: 'page', a: id, b: String(cursor + 1) });
  }
  if (questions.length === 0) return;
  try {
    const wanted = { deliveries: new Set<string>(), notifications: new Set<string>(), questions };
    const { answers } = await store.read(wanted, { withoutMessages: true });
    for (const { a, b, x, y } of answers) memory.keepPage(a, b, [{ x, y }]);
  } catch {
    // It is read when it is needed.
  }
}
