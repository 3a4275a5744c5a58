import { SendonceError } from '@sendonce/core';
import type { Connection } from './database.ts';
import { dropped } from './made.ts';

/** A moment that a `Date` can be. Text, which sorts after every number, is none. */
const isTime = (column: string): string => `${column} BETWEEN 0 AND 8640000000000000`;

/** A CASE, because IN builds its list anew for every row that is written (measured: 20 microseconds of an update's 30). */
function shapes(of: Readonly<Record<string, readonly string[]>>): string {
  const whens = Object.entries(of).flatMap(([shape, states]) => states.map((state) => `WHEN '${state}' THEN ${shape}`));
  return `(CASE state ${whens.join(' ')} END) IS NOT TRUE`;
}

/**
 * Rows that no step writes and no query for work finds: set aside because they cannot be read, or with a time missing that their state
 * needs (or there against it). The index over them is empty in a sound file, so that looking costs nothing; the view names it, so that a
 * text that no longer fits fails in every test instead of reading every row. Once released, another text is another migration.
 */
const LOST_DELIVERIES = `(attention IS 'unreadable' OR ${shapes({
  [`(${isTime('work_at')} AND watch_at IS NULL AND settled_at IS NULL)`]: ['queued', 'processing', 'retry-scheduled'],
  [`(${isTime('watch_at')} AND work_at IS NULL AND settled_at IS NULL)`]: ['dispatching', 'unknown'],
  [`(${isTime('settled_at')} AND work_at IS NULL AND watch_at IS NULL)`]: [
    'sent',
    'delivered',
    'parked',
    'bounced',
    'undeliverable',
    'failed',
    'dead',
    'expired',
    'suppressed',
    'cancelled',
  ],
})})`;
const LOST_NOTIFICATIONS = lostNotifications({});
/** Of a tombstone nothing is to be done, at most to drop it one day. */
const LOST_OR_BURIED = lostNotifications({
  [`((over_at IS NULL OR ${isTime('over_at')}) AND work_at IS NULL)`]: ['forgotten'],
});

function lostNotifications(more: Readonly<Record<string, readonly string[]>>): string {
  return `((sealed = 0 OR sealed = 1) IS NOT TRUE
  OR (recipients = 'route' OR recipients = 'explicit') IS NOT TRUE OR (open >= 0) IS NOT TRUE OR ${shapes({
    [`(over_at IS NULL AND (sealed = 1 OR recipients = 'route') = ((${isTime('work_at')}) IS TRUE))`]: [
      'accepted',
      'expanding',
    ],
    '(over_at IS NULL AND work_at IS NULL AND open > 0)': ['expanded'],
    [`(${isTime('over_at')} AND work_at IS NULL)`]: ['done', 'cancelled', 'failed'],
    ...more,
  })})`;
}

function unreadableView(notifications: string): string {
  return `CREATE VIEW sendonce_unreadable AS
    SELECT 'delivery' AS kind, id, state FROM sendonce_deliveries INDEXED BY sendonce_deliveries_lost WHERE ${LOST_DELIVERIES}
    UNION ALL
    SELECT 'notification', id, state FROM sendonce_notifications INDEXED BY sendonce_notifications_lost WHERE ${notifications};`;
}

/*
 * The tables begin with `sendonce_`, so that they may live beside an application's own and join its transactions.
 * Each entry leads from the schema before it to the next. Never change one that was released; add another.
 *
 * A delivery's row holds what never changes (`fixed`), what does (`body`, JSON: only what differs from the default), its story, and
 * in columns what something is looked up by: that is in no other place, so no two places can differ. Where a column is null its row
 * is not in that index at all. The number of a notification is never given again: rows that were left behind by one that somebody
 * deleted must not become another's.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sendonce_schema (version INTEGER NOT NULL);
  INSERT INTO sendonce_schema (version) VALUES (0);
  CREATE TABLE sendonce_store (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last_fence INTEGER NOT NULL,
    changed_at INTEGER,
    quiet_until INTEGER NOT NULL,
    reckoned INTEGER NOT NULL
  );
  CREATE TABLE sendonce_notifications (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    type TEXT NOT NULL,
    state TEXT NOT NULL,
    sealed INTEGER NOT NULL,
    recipients TEXT NOT NULL,
    open INTEGER NOT NULL,
    work_at INTEGER,
    ended INTEGER,
    over_at INTEGER,
    erase_at INTEGER,
    body TEXT NOT NULL,
    data TEXT
  );
  CREATE INDEX sendonce_notifications_by_work ON sendonce_notifications (work_at) WHERE work_at IS NOT NULL;
  CREATE INDEX sendonce_notifications_ended ON sendonce_notifications (ended) WHERE ended IS NOT NULL;
  CREATE INDEX sendonce_notifications_over ON sendonce_notifications (over_at) WHERE over_at IS NOT NULL;
  CREATE INDEX sendonce_notifications_by_erasure ON sendonce_notifications (erase_at) WHERE erase_at IS NOT NULL;
  CREATE INDEX sendonce_notifications_lost ON sendonce_notifications (seq) WHERE ${LOST_NOTIFICATIONS};
  CREATE TABLE sendonce_pages (
    notification INTEGER NOT NULL,
    page INTEGER NOT NULL,
    targets INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (notification, page)
  ) WITHOUT ROWID;
  CREATE TABLE sendonce_deliveries (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    notification INTEGER NOT NULL,
    recipient TEXT NOT NULL,
    channel TEXT NOT NULL,
    provider TEXT NOT NULL,
    state TEXT NOT NULL,
    work_at INTEGER,
    watch_at INTEGER,
    attention TEXT,
    settled_at INTEGER,
    erase_at INTEGER,
    fixed TEXT NOT NULL,
    body TEXT NOT NULL,
    story TEXT NOT NULL
  );
  CREATE INDEX sendonce_deliveries_by_notification ON sendonce_deliveries (notification);
  CREATE INDEX sendonce_deliveries_by_recipient ON sendonce_deliveries (recipient);
  CREATE INDEX sendonce_deliveries_by_work ON sendonce_deliveries (work_at) WHERE work_at IS NOT NULL;
  CREATE INDEX sendonce_deliveries_by_watch ON sendonce_deliveries (watch_at) WHERE watch_at IS NOT NULL;
  CREATE INDEX sendonce_deliveries_by_attention ON sendonce_deliveries (attention) WHERE attention IS NOT NULL;
  CREATE INDEX sendonce_deliveries_by_erasure ON sendonce_deliveries (erase_at) WHERE erase_at IS NOT NULL;
  CREATE INDEX sendonce_deliveries_lost ON sendonce_deliveries (seq) WHERE ${LOST_DELIVERIES};
  ${unreadableView(LOST_NOTIFICATIONS)}
  CREATE TABLE sendonce_contents (delivery INTEGER PRIMARY KEY, message TEXT NOT NULL);
  CREATE TABLE sendonce_provider_messages (key TEXT NOT NULL, delivery INTEGER NOT NULL, PRIMARY KEY (key, delivery)) WITHOUT ROWID;
  CREATE TABLE sendonce_due_claims (request_id TEXT PRIMARY KEY, until INTEGER NOT NULL, ids TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE sendonce_kept_evidence (
    about TEXT NOT NULL, provider TEXT NOT NULL, message TEXT NOT NULL, kind TEXT NOT NULL, kept_at INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (about, provider, message, kind)
  ) WITHOUT ROWID;
  CREATE INDEX sendonce_kept_evidence_by_age ON sendonce_kept_evidence (kept_at);
  CREATE TABLE sendonce_suppressions (
    tenant TEXT NOT NULL, recipient TEXT NOT NULL, topic TEXT NOT NULL, channel TEXT NOT NULL, by TEXT NOT NULL, why TEXT NOT NULL,
    PRIMARY KEY (tenant, recipient, topic, channel)
  ) WITHOUT ROWID;
  CREATE TABLE sendonce_blocks (scope TEXT PRIMARY KEY, recheck_ms INTEGER NOT NULL, by TEXT NOT NULL, why TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE sendonce_strays (id TEXT PRIMARY KEY, seen_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE sendonce_counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
  `,
  `CREATE TABLE sendonce_clock (id INTEGER PRIMARY KEY CHECK (id = 1), wall INTEGER NOT NULL, time INTEGER NOT NULL);`,
  `
  DROP VIEW sendonce_unreadable;
  DROP INDEX sendonce_notifications_lost;
  CREATE INDEX sendonce_notifications_lost ON sendonce_notifications (seq) WHERE ${LOST_OR_BURIED};
  ${unreadableView(LOST_OR_BURIED)}
  `,
];

/** The schema that this code writes. */
export const SCHEMA_VERSION: number = MIGRATIONS.length;

/**
 * Brings the tables up to date; a second call changes nothing. To be called inside a write transaction, so that of several processes
 * one migrates and the others find it done.
 * @throws SendonceError LEDGER_NEWER for a file that a later release wrote; LEDGER_CORRUPT for one that has lost a table.
 */
export function migrate(connection: Connection, file: string): void {
  const version = versionOf(connection);
  if (version > SCHEMA_VERSION)
    throw new SendonceError(
      'LEDGER_NEWER',
      `'${file}' has schema ${version}, and this release knows up to ${SCHEMA_VERSION}; use the release that wrote it, or a later one`,
    );
  for (const { sql } of dropped(connection, { file, version, migrations: MIGRATIONS })) connection.database.exec(sql);
  for (const migration of MIGRATIONS.slice(version)) connection.database.exec(migration);
  if (version < SCHEMA_VERSION) connection.run('UPDATE sendonce_schema SET version = ?', SCHEMA_VERSION);
}

/** Whether there is nothing to migrate, and nothing to make anew. @throws SendonceError LEDGER_CORRUPT for a file that has lost a table. */
export function isCurrent(connection: Connection, file: string): boolean {
  const version = versionOf(connection);
  return version === SCHEMA_VERSION && dropped(connection, { file, version, migrations: MIGRATIONS }).length === 0;
}

/** 0: no tables of ours yet. */
export function versionOf(connection: Connection): number {
  const has =
    connection.get(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sendonce_schema'`) !== undefined;
  return has ? (connection.get<{ version: number }>('SELECT version FROM sendonce_schema')?.version ?? 0) : 0;
}
