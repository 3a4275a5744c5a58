import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ItemResult, Queue, ReceivedWake } from '@sendonce/core';
import type Database from 'libsql';

export interface TableQueueOptions {
  /** How long a received wake stays hidden, ms. @defaultValue 30_000 */
  readonly visibilityMs?: number;
}

// #region queue
/** A queue in a table of SQLite: any number of processes may open the file. `close` leaves the database open. */
export function tableQueue(db: Database.Database, { visibilityMs = 30_000 }: TableQueueOptions = {}): Queue {
  // Nothing rests on a queue, so it need not wait for the disk.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000');
  db.exec('CREATE TABLE IF NOT EXISTS wakes (id TEXT, receipt TEXT, receives INT, made INT, visible INT)');
  db.exec(
    'CREATE INDEX IF NOT EXISTS by_time ON wakes (visible); CREATE INDEX IF NOT EXISTS by_receipt ON wakes (receipt)',
  );
  const add = db.prepare('INSERT INTO wakes VALUES (?, ?, 0, ?, ?)');
  // One statement, so that two receivers never take the same row; a receipt is as old as the time that it was handed out.
  const take = db.prepare(
    `UPDATE wakes SET receives = receives + 1, visible = ?, receipt = lower(hex(randomblob(16)))
     WHERE rowid IN (SELECT rowid FROM wakes WHERE visible <= ? ORDER BY visible LIMIT ?) RETURNING *`,
  );
  const drop = db.prepare('DELETE FROM wakes WHERE receipt = ?');
  const show = db.prepare('UPDATE wakes SET visible = ? WHERE receipt = ? AND visible > ?');
  const closed = new AbortController();

  const received = (max: number): ReceivedWake[] => {
    const now = Date.now();
    const rows = take.all(now + visibilityMs, now, max) as (ReceivedWake & { made: number })[];
    return rows.map(({ id, receipt, receives, made }) => ({ id, receipt, receives, ageMs: now - made }));
  };
  const hide = (batch: readonly ReceivedWake[], ms: number): ItemResult[] =>
    batch.map(({ receipt }) => answer(show.run(Date.now() + ms, receipt, Date.now()).changes));

  return {
    capabilities: { maxDelayMs: 86_400_000, maxBatch: 1_000, visibilityMs, durable: true },
    async enqueue(wakes, { delayMs = 0 } = {}) {
      const now = Date.now();
      return wakes.map(({ id }) => answer(add.run(id, randomUUID(), now, now + Math.min(delayMs, 86_400_000)).changes));
    },
    async receive({ max, waitMs, signal }) {
      const stop = AbortSignal.any([closed.signal, ...(signal === undefined ? [] : [signal])]);
      const until = performance.now() + waitMs;
      for (;;) {
        const wakes = stop.aborted ? [] : received(max);
        if (wakes.length > 0 || stop.aborted || performance.now() >= until) return wakes;
        await sleep(20, undefined, { signal: stop }).catch(() => undefined);
      }
    },
    ack: async (batch) => batch.map(({ receipt }) => answer(drop.run(receipt).changes)),
    release: async (batch, { delayMs }) => hide(batch, delayMs),
    extend: async (batch, { leaseMs }) => hide(batch, leaseMs),
    depth: async () => (db.prepare('SELECT count(*) AS n FROM wakes').get() as { n: number }).n,
    close: async () => closed.abort(),
  };
}

function answer(rows: number): ItemResult {
  return rows === 1 ? { ok: true } : { ok: false, error: 'the receipt is stale' };
}
// #endregion
