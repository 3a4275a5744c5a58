import type { Records } from './store.ts';

/** A wake without a record. During a quarantine nobody can say yet whether there was one. */
export function claimAbsent(
  records: Records,
  id: string,
  isOld: boolean,
  now: number,
): { kind: 'held'; id: string; remainingMs: number } | { kind: 'absent' | 'stray'; id: string } {
  const remainingMs = records.epochs.quarantineMs(now);
  if (remainingMs > 0) return { kind: 'held', id, remainingMs };
  if (!isOld) return { kind: 'absent', id };
  records.addStray(id);
  return { kind: 'stray', id };
}
