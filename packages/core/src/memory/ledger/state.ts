import {
  DELIVERY_STATES,
  isSettled,
  type DeliveryRecord,
  type DeliveryState,
  type Move,
} from '../../model/delivery.ts';
import { witness } from '../../model/steps/evidence.ts';
import { RefusedMove } from '../../model/steps/move.ts';
import { timeHeap, type TimeHeap } from '../time-heap.ts';
import type { ChunkPool } from './arena.ts';
import { compaction } from './compaction.ts';
import { deliveryStore, type DeliveryStore } from './delivery-store.ts';
import { epochs, type Epochs } from './epochs.ts';
import { gates, type Gates } from './gates.ts';
import { keptEvidence, type KeptEvidence } from './kept-evidence.ts';
import { messageIndex, type MessageIndex } from './message-index.ts';
import { notificationStore, type NotificationStore } from './notification-store.ts';
import type { MemoryLedgerOptions } from './options.ts';
import { targetCodec } from './target-codec.ts';
import { undoJournal, type Undo } from './undo.ts';

/** Everything the ledger holds. All writes of delivery records go through `insert` and `update`, which keep the indexes. */
export interface LedgerState {
  readonly now: () => number;
  readonly epochs: Epochs;
  readonly undo: Undo;
  readonly gates: Gates;
  readonly kept: KeptEvidence;
  readonly notifications: NotificationStore;
  readonly deliveries: Omit<DeliveryStore, 'insert' | 'replace' | 'chill' | 'remove'>;
  /** Claimable deliveries by when; an entry is outdated unless `workAt` still says the same. */
  readonly work: TimeHeap<number>;
  /** `dispatching` by the end of the window and `unknown` by when it is due, likewise with `watchAt`. */
  readonly watch: TimeHeap<number>;
  readonly messages: MessageIndex;
  readonly counts: Record<DeliveryState, number>;
  readonly tallies: { assumed: number; refusedMoves: number };
  /** Wakes without a record, old enough to be listed. */
  readonly strays: Set<string>;
  readonly moves: Map<string, Move[]>;
  /** Answers the record that stands: kept evidence may have moved it on at once. */
  insert(record: DeliveryRecord, by: string): DeliveryRecord;
  update(slot: number, before: DeliveryRecord, after: DeliveryRecord, by: string): DeliveryRecord;
  /** Forgets a delivery as an eviction would: its notification does not learn of it until somebody counts again. */
  evict(slot: number): void;
  /** Runs a step; a move that the table does not declare is counted, and null. */
  guarded<S>(step: () => S): S | null;
  /** Makes settled deliveries compact whose time has come. */
  readonly compactDue: () => void;
}

export function ledgerState(options: MemoryLedgerOptions): LedgerState {
  const { clock, compactAfterMs = 60_000, journal = true, undoMs = 0, liveLimit = 2_000 } = options;
  const now = (): number => clock.now();
  const undo = undoJournal(undoMs, now);
  const epoch = epochs(now());
  const pool: ChunkPool = [];
  const targets = targetCodec();
  const notifications = notificationStore(undo, pool, targets);
  const kept = keptEvidence(undo);
  const deliveries = deliveryStore(
    {
      baseFence: epoch.baseFence,
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
  const moves = new Map<string, Move[]>();
  const strays = new Set<string>();
  const compact = compaction(deliveries, compactAfterMs, now);

  /** The indexes that follow from the record alone, so that taking a write back is a write too. */
  function reindex(slot: number, before: DeliveryRecord | null, after: DeliveryRecord | null): void {
    if (before !== null) counts[before.state] -= 1;
    if (after !== null) counts[after.state] += 1;
    tallies.assumed += Number(after?.assumed ?? false) - Number(before?.assumed ?? false);
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
    if (!journal || (before?.state === after.state && before.fence === after.fence)) return;
    const { id, updatedAt: at, state: to, fence, reason: note } = after;
    const story = moves.get(id) ?? [];
    story.push({ at, from: before?.state ?? null, to, by, fence, note });
    moves.set(id, story);
    undo.note(() => void story.pop());
  }

  function evict(slot: number): void {
    const record = deliveries.at(slot);
    if (record === undefined) return;
    deliveries.remove(slot);
    reindex(slot, record, null);
  }

  function takeBackInsert(slot: number): void {
    const record = deliveries.at(slot);
    const entry = record && notifications.get(record.notificationId);
    if (record !== undefined && entry !== undefined) entry.open -= openOf(record);
    evict(slot);
  }

  function takeBack(slot: number, before: DeliveryRecord): void {
    const after = deliveries.at(slot);
    if (after === undefined) return;
    deliveries.replace(slot, before);
    reindex(slot, after, before);
    const entry = notifications.get(before.notificationId);
    if (entry !== undefined) entry.open += openOf(before) - openOf(after);
  }

  function matchKept(slot: number, record: DeliveryRecord): DeliveryRecord {
    let standing = record;
    for (const evidence of kept.takeFor(record)) {
      const step = guarded(() => witness(standing, evidence, now()));
      if (step !== null) standing = update(slot, standing, step.record, 'evidence');
    }
    return standing;
  }

  function insert(record: DeliveryRecord, by: string): DeliveryRecord {
    const slot = deliveries.insert(record);
    strays.delete(record.id);
    notifications.get(record.notificationId)?.slots.push(slot);
    reindex(slot, null, record);
    undo.note(() => takeBackInsert(slot));
    tell(null, record, by);
    countOpen(record, openOf(record));
    if (isSettled(record.state)) compact.settled(slot, record);
    return kept.isEmpty ? record : matchKept(slot, record);
  }

  function update(slot: number, before: DeliveryRecord, after: DeliveryRecord, by: string): DeliveryRecord {
    if (after === before) return before;
    deliveries.replace(slot, after);
    reindex(slot, before, after);
    undo.note(() => takeBack(slot, before));
    tell(before, after, by);
    countOpen(after, openOf(after) - openOf(before));
    if (isSettled(after.state)) compact.settled(slot, after);
    return kept.isEmpty ? after : matchKept(slot, after);
  }

  function guarded<S>(step: () => S): S | null {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof RefusedMove)) throw error;
      tallies.refusedMoves += 1;
      return null;
    }
  }

  return {
    now,
    epochs: epoch,
    undo,
    gates: gates(undo),
    kept,
    notifications,
    deliveries,
    work,
    watch,
    messages,
    counts,
    tallies,
    strays,
    moves,
    insert,
    update,
    evict,
    guarded,
    compactDue: compact.due,
  };
}

function reschedule(heap: TimeHeap<number>, slot: number, before: number | null, after: number | null): void {
  if (before === after) return;
  if (before !== null) heap.giveUp(before);
  if (after !== null) heap.push(after, slot);
}

/** When a delivery may be claimed; null when it may not. */
export function workAt(record: DeliveryRecord): number | null {
  if (record.state === 'queued' || record.state === 'retry-scheduled') return record.dueAt;
  return record.state === 'processing' ? record.leaseUntil : null;
}

/** When the sweeper has to look at it; null when never. */
export function watchAt(record: DeliveryRecord): number | null {
  if (record.state === 'dispatching') return record.dispatchUntil;
  return record.state === 'unknown' ? record.dueAt : null;
}

function openOf(record: DeliveryRecord): number {
  return isSettled(record.state) ? 0 : 1;
}
