import { isSettled } from '../model/delivery.ts';
import { presume } from '../model/steps/sweep.ts';
import type { NotificationEntry, Records } from './store.ts';

/** The store's clock, after anything that had to happen first: the end of a quarantine presumes what it cannot know (rule 12). */
export function enter(records: Records): number {
  const now = records.now();
  if (records.epochs.isReckoningDue(now)) reckon(records, now);
  return now;
}

function reckon(records: Records, now: number): void {
  const { deliveries, epochs, notifications } = records;
  for (const ref of deliveries.unsettled()) {
    const record = deliveries.at(ref);
    if (record === undefined) continue;
    // Whoever read it before the loss decides on what is no longer known: fence them off. A late outcome still names its attempt.
    deliveries.update(ref, record, { ...presume(record, now), fence: epochs.mint() }, 'amnesia');
  }
  for (const entry of notifications.unfinished()) reckonNotification(records, entry, now);
}

function reckonNotification(
  { deliveries, epochs, notifications }: Records,
  entry: NotificationEntry,
  now: number,
): void {
  const { record } = entry;
  const free = { ...record, fence: epochs.mint(), leaseUntil: null, owner: null, requestId: null };
  let open = 0;
  let left = 0;
  for (const ref of notifications.deliveriesOf(entry)) {
    const delivery = deliveries.at(ref);
    if (delivery === undefined) continue;
    if (!isSettled(delivery.state)) open += 1;
    if (delivery.generation === 0) left += 1;
  }
  notifications.recount(entry, open);
  // Deliveries are missing that were made: make them again from the frozen pages, as `unknown` ones.
  if (left < record.deliveries)
    return notifications.update(entry, { ...free, state: 'expanding', cursor: 0, deliveries: left, dueAt: now });
  // Nothing of it will settle any more, so nothing else would ever end it.
  const isDone = record.state === 'expanded' && open === 0;
  notifications.update(entry, isDone ? { ...free, state: 'done' } : free);
}
