import {
  DELIVERY_STATES,
  isSettled,
  type DeliveryRecord,
  type DeliveryState,
  type Move,
} from '../../model/delivery.ts';
import { watchAt, workAt } from '../../records/due-at.ts';
import { epochs, newEpoch } from '../../records/epochs.ts';
import { messageKey } from '../../records/evidence-keys.ts';
import type { Deliveries, Records } from '../../records/store.ts';
import { addUp, isMove, matchKept, openChange, type Matching, type Sums } from '../../records/written.ts';
import { timeHeap, type TimeHeap } from '../time-heap.ts';
import type { ChunkPool } from './arena.ts';
import { compaction } from './compaction.ts';
import { deliveryStore, type DeliveryStore } from './delivery-store.ts';
import { dueClaims } from './due-claims.ts';
import { dueIn } from './due-in.ts';
import { gates } from './gates.ts';
import { keptEvidence } from './kept-evidence.ts';
import { messageIndex } from './message-index.ts';
import { notificationStore, type NotificationStore } from './notification-store.ts';
import type { MemoryLedgerOptions } from './options.ts';
import { targetCodec } from './target-codec.ts';
import { undoJournal, type Undo } from './undo.ts';

/** Everything the ledger holds. All writes of delivery records go through `insert` and `update`, which keep the indexes. */
export interface LedgerState extends Records {
  readonly undo: Undo;
  readonly notifications: NotificationStore;
  readonly deliveries: Deliveries & Pick<DeliveryStore, 'size' | 'stateAt'>;
  readonly work: TimeHeap<number>;
  readonly counts: Record<DeliveryState, number>;
  readonly tallies: { assumed: number; refusedMoves: number };
  /** Wakes without a record, old enough to be listed. */
  readonly strays: ReadonlySet<string>;
  readonly moves: ReadonlyMap<string, readonly Move[]>;
  /** Forgets a delivery as an eviction would: its notification does not learn of it until somebody counts again. */
  evict(slot: number): void;
}

export function ledgerState(options: MemoryLedgerOptions): LedgerState {
  const { clock, compactAfterMs = 60_000, journal = true, undoMs = 0, liveLimit = 2_000 } = options;
  const now = (): number => clock.now();
  const undo = undoJournal(undoMs, now);
  const start = newEpoch(now());
  const epoch = epochs(start);
  const pool: ChunkPool = [];
  const targets = targetCodec();
  const notifications = notificationStore(undo, pool, targets, (slot) => deliveries.stateAt(slot) !== undefined);
  const kept = keptEvidence(undo);
  const deliveries = deliveryStore(
    {
      baseFence: start.last,
      targets,
      notificationAt: (index) => notifications.all[index]!.record,
      indexOfNotification: (id) => notifications.get(id)!.index,
    },
    liveLimit,
    pool,
  );
  const work = timeHeap<number>();
  const watch = timeHeap<number>();
  const messages = messageIndex(deliveries);
  const counts = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0])) as Record<DeliveryState, number>;
  const tallies = { assumed: 0, refusedMoves: 0 };
  const counted = { countRefusedMove: () => void (tallies.refusedMoves += 1) };
  const sums: Sums = {
    delivery: (state, change) => void (counts[state] += change),
    assumed: (change) => void (tallies.assumed += change),
  };
  const matching: Matching = { now, kept, counted, update };
  const moves = new Map<string, Move[]>();
  const strays = new Set<string>();
  const compact = compaction(deliveries, compactAfterMs, now);

  /** The indexes that follow from the record alone, so that taking a write back is a write too. */
  function reindex(slot: number, before: DeliveryRecord | null, after: DeliveryRecord | null): void {
    addUp(sums, before, after);
    reschedule(work, slot, before && workAt(before), after && workAt(after));
    reschedule(watch, slot, before && watchAt(before), after && watchAt(after));
    if (after === null) return;
    if (before === null || after.attempts !== before.attempts) messages.learn(slot, before, after);
  }

  /** The notification is done when it is expanded and none of its deliveries is open. */
  function countOpen(record: DeliveryRecord, change: number): void {
    const entry = notifications.get(record.notificationId);
    if (entry === undefined || change === 0) return;
    entry.open += change;
    if (entry.open === 0 && entry.record.state === 'expanded')
      notifications.update(entry, { ...entry.record, state: 'done' });
  }

  function tell(before: DeliveryRecord | null, after: DeliveryRecord, by: string): void {
    if (!journal || !isMove(before, after)) return;
    const { id, updatedAt: at, state: to, fence, reason: note } = after;
    const story = moves.get(id) ?? [];
    story.push({ at, from: before?.state ?? null, to, by, fence, note });
    moves.set(id, story);
    if (undo.isOn) undo.note(() => void story.pop());
  }

  function evict(slot: number): void {
    const record = deliveries.at(slot);
    if (record === undefined) return;
    deliveries.remove(slot);
    reindex(slot, record, null);
  }

  function remove(slot: number): void {
    const record = deliveries.at(slot);
    if (record === undefined) return;
    const story = moves.get(record.id);
    evict(slot);
    moves.delete(record.id);
    undo.note(() => {
      deliveries.replace(slot, record);
      reindex(slot, null, record);
      if (story !== undefined) moves.set(record.id, story);
    });
  }

  function takeBackInsert(slot: number): void {
    const record = deliveries.at(slot);
    const entry = record && notifications.get(record.notificationId);
    if (record !== undefined && entry !== undefined) entry.open += openChange(record, null);
    evict(slot);
  }

  function takeBack(slot: number, before: DeliveryRecord): void {
    const after = deliveries.at(slot);
    if (after === undefined) return;
    deliveries.replace(slot, before);
    reindex(slot, after, before);
    const entry = notifications.get(before.notificationId);
    if (entry !== undefined) entry.open += openChange(after, before);
  }

  function insert(record: DeliveryRecord, by: string): DeliveryRecord {
    const slot = deliveries.insert(record);
    strays.delete(record.id);
    notifications.get(record.notificationId)?.slots.push(slot);
    reindex(slot, null, record);
    if (undo.isOn) undo.note(() => takeBackInsert(slot));
    tell(null, record, by);
    countOpen(record, openChange(null, record));
    if (isSettled(record.state)) compact.settled(slot, record);
    return kept.isEmpty ? record : matchKept(matching, slot, record);
  }

  function update(slot: number, before: DeliveryRecord, after: DeliveryRecord, by: string): DeliveryRecord {
    if (after === before) return before;
    deliveries.replace(slot, after);
    reindex(slot, before, after);
    if (undo.isOn) undo.note(() => takeBack(slot, before));
    tell(before, after, by);
    countOpen(after, openChange(before, after));
    if (isSettled(after.state)) compact.settled(slot, after);
    return kept.isEmpty ? after : matchKept(matching, slot, after);
  }

  function* slots(isWanted: (state: DeliveryState) => boolean): Generator<number> {
    for (let slot = 0; slot < deliveries.size; slot += 1) {
      const state = deliveries.stateAt(slot);
      if (state !== undefined && isWanted(state)) yield slot;
    }
  }

  const whenOf =
    (timeOf: (record: DeliveryRecord) => number | null) =>
    (slot: number): number | null => {
      const record = deliveries.at(slot);
      return record === undefined ? null : timeOf(record);
    };

  return {
    now,
    epochs: epoch,
    undo,
    gates: gates(undo),
    claims: dueClaims(now),
    notifications,
    deliveries: {
      get size() {
        return deliveries.size;
      },
      stateAt: (slot) => deliveries.stateAt(slot),
      refOf: (id) => deliveries.slotOf(id),
      at: (slot) => deliveries.at(slot),
      insert,
      update,
      remove,
      work: dueIn(work, whenOf(workAt)),
      watch: dueIn(watch, whenOf(watchAt)),
      unsettled: () => slots((state) => !isSettled(state)),
      maybeOut: () => slots((state) => state !== 'queued' && (!isSettled(state) || state === 'parked')),
      withMessage: (provider, providerMessageId) => messages.find(messageKey(provider, providerMessageId)),
    },
    work,
    counts,
    tallies,
    strays,
    moves,
    keepEvidence: (evidence) => kept.keep(evidence),
    addStray: (id) => void strays.add(id),
    ...counted,
    evict,
    compactDue: compact.due,
  };
}

function reschedule(heap: TimeHeap<number>, slot: number, before: number | null, after: number | null): void {
  if (before === after) return;
  if (before !== null) heap.giveUp(before);
  if (after !== null) heap.push(after, slot);
}
