import type { Known } from './known.ts';
import type { Run } from './run.ts';

/** Whether the run has anything to write. */
export function isChange(run: Run, known: Known): boolean {
  const { deliveries, notifications, gates, evidence, claim, strays, refusedMoves } = run;
  for (const entry of deliveries.entries()) if (entry.isDirty) return true;
  for (const entry of notifications.entries()) if (entry.isDirty) return true;
  const others = [
    ...[notifications.opened, notifications.pages, gates.suppressions, gates.blocks].map(({ size }) => size),
    ...[evidence.taken.size, evidence.kept().length, strays.size, refusedMoves],
    ...[notifications.told, notifications.dropped].map(({ length }) => length),
    ...[known.damaged.deliveries, known.damaged.notifications].map(({ size }) => size),
  ];
  return claim !== null || isEpochChange(run, known) || others.some((count) => count > 0);
}

/** Whether the store lost its memory, or the quarantine after it is over. */
export function isEpochChange({ epochs: { saved } }: Run, { store }: Known): boolean {
  return store !== null && (saved.isReckoned !== store.epoch.isReckoned || saved.changedAt !== store.epoch.changedAt);
}
