import { epochs, newEpoch, type Epochs, type Records, type SavedEpoch, type Transaction } from '@sendonce/core/records';
import { counters } from './counters.ts';
import type { Connection } from './database.ts';
import { deliveries } from './deliveries.ts';
import { dueClaims } from './due-claims.ts';
import { keptEvidence } from './evidence.ts';
import { gates } from './gates.ts';
import { notifications } from './notifications.ts';
import { retention } from './retention.ts';
import { tick } from './store-clock.ts';

export interface SessionOptions {
  readonly now: () => number;
  readonly contentRetentionMs: number;
  readonly retentionMs: number;
  readonly tombstoneRetentionMs: number | null;
}

/** What the transactions of one connection share: their view of the tables, which each of them begins anew. */
export interface Session {
  /** Runs `work` on the open transaction and writes what it changed. */
  run<T>(work: (records: Records) => T, about: Transaction): T;
}

export function session(connection: Connection, options: SessionOptions): Session {
  const { contentRetentionMs, retentionMs, tombstoneRetentionMs } = options;
  let nowMs = 0;
  let epoch: Epochs = epochs(newEpoch(0));
  const now = (): number => nowMs;
  const sums = counters(connection);
  const kept = keptEvidence(connection);
  const gate = gates(connection);
  const known = notifications(connection, {
    now,
    counters: sums,
    contentRetentionMs,
    retentionMs,
    tombstoneRetentionMs,
  });
  const all = deliveries(connection, { now, counters: sums, notifications: known, kept, contentRetentionMs });
  const records: Records = {
    now,
    get epochs() {
      return epoch;
    },
    gates: gate,
    claims: dueClaims(connection, now),
    deliveries: all,
    notifications: known,
    keepEvidence: (evidence) => kept.keep(evidence, nowMs),
    addStray: (id) =>
      connection.run('INSERT INTO sendonce_strays (id, seen_at) VALUES (?, ?) ON CONFLICT DO NOTHING', id, nowMs),
    countRefusedMove: () => sums.add('refused', 1),
    compactDue: retention(connection, { now, retentionMs }),
  };

  return {
    run(work, { ids = [], withoutMessages = false }) {
      // One moment for the whole transaction, as it is for whoever reads what it wrote.
      nowMs = tick(connection, options.now());
      const saved = readEpoch(connection, nowMs);
      epoch = epochs(saved);
      sums.begin();
      kept.begin();
      gate.begin();
      known.begin();
      all.begin(ids, !withoutMessages);
      const result = work(records);
      all.flush();
      known.flush();
      sums.flush();
      writeEpoch(connection, saved, epoch.saved);
      return result;
    },
  };
}

interface EpochRow {
  readonly last_fence: number;
  readonly changed_at: number | null;
  readonly quiet_until: number;
  readonly reckoned: number;
}

export function readEpoch(connection: Connection, now: number): SavedEpoch {
  const row = connection.get<EpochRow>('SELECT last_fence, changed_at, quiet_until, reckoned FROM sendonce_store');
  if (row === undefined) return newEpoch(now);
  return {
    last: row.last_fence,
    changedAt: row.changed_at,
    quietUntil: row.quiet_until,
    isReckoned: row.reckoned === 1,
  };
}

export function writeEpoch(connection: Connection, before: SavedEpoch, after: SavedEpoch): void {
  if (after.last === before.last && after.isReckoned === before.isReckoned && after.changedAt === before.changedAt)
    return;
  connection.run(
    `INSERT INTO sendonce_store (id, last_fence, changed_at, quiet_until, reckoned) VALUES (1, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET last_fence = excluded.last_fence, changed_at = excluded.changed_at,
       quiet_until = excluded.quiet_until, reckoned = excluded.reckoned`,
    after.last,
    after.changedAt,
    after.quietUntil,
    after.isReckoned ? 1 : 0,
  );
}
