import { isSettled } from '../../model/delivery.ts';
import { isNotificationOver } from '../../model/notification.ts';
import { presume } from '../../model/steps/sweep.ts';
import type { AmnesiaReport, AmnesiaRequest } from './options.ts';
import type { NotificationEntry } from './notification-store.ts';
import type { LedgerState } from './state.ts';

/** The store's clock, after anything that had to happen first: the end of a quarantine presumes what it cannot know (rule 12). */
export function enter(state: LedgerState): number {
  const now = state.now();
  if (state.epochs.isReckoningDue(now)) reckon(state, now);
  return now;
}

export function loseMemory(state: LedgerState, request: AmnesiaRequest): AmnesiaReport {
  const lost = state.undo.rollBack(request.lastMs);
  const evicted: string[] = [];
  for (const id of request.evict ?? []) {
    const slot = state.deliveries.slotOf(id);
    // A settled record is only there to remember: dropping it is a matter of retention, and nothing can notice it.
    if (slot < 0 || isSettled(state.deliveries.stateAt(slot) ?? 'sent')) continue;
    state.evict(slot);
    evicted.push(id);
  }
  state.epochs.begin(state.now(), request.quarantineMs);
  return { lost, evicted };
}

function reckon(state: LedgerState, now: number): void {
  const { deliveries, epochs, notifications } = state;
  for (let slot = 0; slot < deliveries.size; slot += 1) {
    const stored = deliveries.stateAt(slot);
    if (stored === undefined || isSettled(stored)) continue;
    const record = deliveries.at(slot)!;
    // Whoever read it before the loss decides on what is no longer known: fence them off. A late outcome still names its attempt.
    state.update(slot, record, { ...presume(record, now), fence: epochs.mint() }, 'amnesia');
  }
  for (const entry of notifications.all) reckonNotification(state, entry, now);
}

function reckonNotification(state: LedgerState, entry: NotificationEntry, now: number): void {
  const { deliveries, epochs, notifications } = state;
  const { record } = entry;
  if (notifications.get(record.id) !== entry || isNotificationOver(record.state)) return;
  const fence = epochs.mint();
  const free = { ...record, fence, leaseUntil: null, owner: null, requestId: null };
  const records = [...entry.slots].map((slot) => deliveries.at(slot)).filter((each) => each !== undefined);
  entry.open = records.filter((each) => !isSettled(each.state)).length;
  const left = records.filter((each) => each.generation === 0).length;
  // Deliveries are missing that were made: make them again from the frozen pages, as `unknown` ones.
  const isGapped = left < record.deliveries;
  notifications.update(
    entry,
    isGapped ? { ...free, state: 'expanding', cursor: 0, deliveries: left, dueAt: now } : free,
  );
}
