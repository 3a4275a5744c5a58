import { isDeadLetter, isSettled, type DeliveryRecord } from '@sendonce/core';
import type { Connection } from './database.ts';
import { removeDelivery } from './remove-delivery.ts';
import { isAttempt, parsed } from './sound.ts';

export interface RetentionOptions {
  readonly now: () => number;
  readonly retentionMs: number;
}

/** Housekeeping a little at a time, so that no claim has to wait for it. */
const ROWS_PER_TURN = 200;
const TURN_MS = 1_000;
/** Evidence that matched nothing for this long never will: providers deliver events for days, not for months. */
const DAY_MS = 86_400_000;
const EVIDENCE_MS = 30 * DAY_MS;

/** When its content may go: some time after it settled; a dead letter keeps it until it is replaced, because a replay needs it. */
export function eraseAt(record: DeliveryRecord, contentRetentionMs: number): number | null {
  if (record.settledAt === null || !isSettled(record.state)) return null;
  if (isDeadLetter(record.state) && record.replacedBy === null) return null;
  return record.settledAt + contentRetentionMs;
}

/**
 * From when on the time that a notification is remembered counts for a tombstone, so that it goes after its own time with those that are
 * over; null: it stays for good.
 */
export function tombstoneOverAt(
  now: number,
  { retentionMs, tombstoneRetentionMs }: Pick<RetentionOptions, 'retentionMs'> & TombstoneRetention,
): number | null {
  return tombstoneRetentionMs === null ? null : Math.max(0, now + tombstoneRetentionMs - retentionMs);
}

export interface TombstoneRetention {
  readonly tombstoneRetentionMs: number | null;
}

/** Erases the content of what settled long enough ago, then forgets notifications that have been over for `retentionMs`. */
export function retention(connection: Connection, { now, retentionMs }: RetentionOptions): () => void {
  let nextAt = 0;

  function eraseContents(at: number): number {
    const rows = connection.all<{ seq: number }>(
      'SELECT seq FROM sendonce_deliveries WHERE erase_at <= ? LIMIT ?',
      at,
      ROWS_PER_TURN,
    );
    for (const { seq } of rows) {
      connection.run('DELETE FROM sendonce_contents WHERE delivery = ?', seq);
      connection.run(
        `UPDATE sendonce_deliveries SET erase_at = NULL,
           fixed = CASE WHEN json_valid(fixed) THEN json_set(fixed, '$.target.data', json('{}')) ELSE '' END WHERE seq = ?`,
        seq,
      );
    }
    return rows.length;
  }

  /** What a producer gave, once no dead letter needs it to make its content again; while one does, it is asked again tomorrow. */
  function eraseData(at: number): number {
    const rows = connection.all<{ seq: number; needed: number }>(
      `SELECT seq, EXISTS (
         SELECT 1 FROM sendonce_deliveries d WHERE d.notification = n.seq AND d.attention IN ('dead', 'failed', 'parked') LIMIT 1
       ) AS needed
       FROM sendonce_notifications n WHERE erase_at <= ? LIMIT ?`,
      at,
      ROWS_PER_TURN,
    );
    for (const { seq, needed } of rows)
      if (needed === 1)
        connection.run('UPDATE sendonce_notifications SET erase_at = ? WHERE seq = ?', at + DAY_MS, seq);
      else connection.run('UPDATE sendonce_notifications SET erase_at = NULL, data = NULL WHERE seq = ?', seq);
    return rows.length;
  }

  /** Whole notifications, and only when none of their deliveries is open. */
  function forget(at: number): number {
    const rows = connection.all<{ seq: number }>(
      'SELECT seq FROM sendonce_notifications WHERE over_at <= ? AND open = 0 ORDER BY over_at LIMIT 1',
      at - retentionMs,
    );
    const notification = rows[0]?.seq;
    return notification === undefined ? 0 : forgetSome(connection, notification);
  }

  return () => {
    const at = now();
    if (at < nextAt) return;
    const handled = eraseContents(at) + eraseData(at) + forget(at);
    connection.run('DELETE FROM sendonce_kept_evidence WHERE kept_at <= ?', at - EVIDENCE_MS);
    nextAt = handled >= ROWS_PER_TURN ? at : at + TURN_MS;
  };
}

function forgetSome(connection: Connection, notification: number): number {
  const rows = connection.all<{ seq: number; state: string; body: string }>(
    'SELECT seq, state, body FROM sendonce_deliveries WHERE notification = ? LIMIT ?',
    notification,
    ROWS_PER_TURN,
  );
  for (const { seq, state, body } of rows) {
    const { assumed = false, attempts = [] } = parsed<Partial<DeliveryRecord>>(body) ?? {};
    // What a damaged one leaves behind of them says nothing about any other.
    removeDelivery(connection, seq, { attempts: Array.isArray(attempts) ? attempts.filter(isAttempt) : [] });
    connection.run('UPDATE sendonce_counters SET n = n - 1 WHERE name = ?', `d:${state}`);
    if (assumed) connection.run(`UPDATE sendonce_counters SET n = n - 1 WHERE name = 'assumed'`);
  }
  if (rows.length === ROWS_PER_TURN) return rows.length;
  connection.run('DELETE FROM sendonce_pages WHERE notification = ?', notification);
  connection.run(
    `UPDATE sendonce_counters SET n = n - 1 WHERE name = (SELECT 'n:' || state FROM sendonce_notifications WHERE seq = ?)`,
    notification,
  );
  connection.run('DELETE FROM sendonce_notifications WHERE seq = ?', notification);
  return rows.length;
}
