import type { Connection } from '../sqlite/database.ts';
import type { SqlitePlace } from '../sqlite/place.ts';
import { transaction } from '../sqlite/transaction.ts';
import { isUnread, moveAll } from './moves.ts';
import { boxesOf, boxIn, indexesOn, IS_IN, messageIn } from './sql.ts';
import type { Box, Changed, InboxStore, Move, Owner, StoredMessage } from './store.ts';

/** Numbers of inboxes are never given again. */
export function sqliteSchema(table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${boxesOf(table)} (
  box INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  recipient TEXT NOT NULL,
  seq INTEGER NOT NULL DEFAULT 0,
  unread INTEGER NOT NULL DEFAULT 0,
  removed INTEGER NOT NULL DEFAULT 0,
  UNIQUE (tenant, recipient)
);
CREATE TABLE IF NOT EXISTS ${table} (
  box INTEGER NOT NULL,
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  change INTEGER NOT NULL,
  added_at INTEGER NOT NULL,
  read_at INTEGER,
  archived_at INTEGER,
  body TEXT NOT NULL,
  PRIMARY KEY (box, position)
);
${indexesOn(table)}`;
}

export interface InboxPlace extends SqlitePlace {
  readonly table: string;
}

/** SQLite has one writer at a time, and a transaction sees one moment: that is all there is to the order of changes. */
export function sqliteStore(place: InboxPlace): InboxStore {
  const { table } = place;
  const boxes = boxesOf(table);

  async function within<T>(kind: 'IMMEDIATE' | 'DEFERRED', work: (connection: Connection) => T): Promise<T> {
    const connection = await place.connect();
    return transaction(connection, kind, () => work(connection), place);
  }

  const boxOf = (connection: Connection, { tenant, recipientId }: Owner): Box | null =>
    boxIn(
      connection.get<Record<string, unknown>>(
        `SELECT * FROM ${boxes} WHERE tenant = ? AND recipient = ?`,
        tenant,
        recipientId,
      ),
    );
  const rowsOf = (connection: Connection, where: string, ...values: (string | number)[]): StoredMessage[] =>
    connection
      .all<Record<string, unknown>>(`SELECT * FROM ${table} WHERE box = ? AND ${where}`, ...values)
      .flatMap((row) => messageIn(row) ?? []);

  function save(connection: Connection, { key, seq, unread, removed }: Box): void {
    connection.run(
      `UPDATE ${boxes} SET seq = ?, unread = ?, removed = ? WHERE box = ?`,
      ...[seq, unread, removed, Number(key)],
    );
  }

  /** `pick` names the rows of an inbox that a move is about. */
  function change(
    owner: Owner,
    move: Move,
    pick: (connection: Connection, box: Box) => readonly StoredMessage[],
  ): Promise<Changed> {
    return within('IMMEDIATE', (connection) => {
      const box = boxOf(connection, owner);
      if (box === null) return { box, changed: 0 };
      const moved = moveAll(pick(connection, box), box, { move, now: Date.now() });
      if (moved.rows.length === 0) return { box, changed: 0 };
      for (const { position, change: n, readAt, archivedAt } of moved.rows)
        connection.run(
          `UPDATE ${table} SET change = ?, read_at = ?, archived_at = ? WHERE box = ? AND position = ?`,
          ...[n, readAt, archivedAt, Number(box.key), position],
        );
      const after = { ...box, seq: moved.seq, unread: moved.unread };
      save(connection, after);
      return { box: after, changed: moved.rows.length };
    });
  }

  return {
    put: (owner, items) =>
      within('IMMEDIATE', (connection) => {
        const { tenant, recipientId } = owner;
        connection.run(
          `INSERT INTO ${boxes} (tenant, recipient) VALUES (?, ?) ON CONFLICT DO NOTHING`,
          tenant,
          recipientId,
        );
        const box = boxOf(connection, owner) as Box;
        const key = Number(box.key);
        const fresh = items.filter(
          ({ id }) => connection.get(`SELECT 1 FROM ${table} WHERE box = ? AND id = ?`, key, id) === undefined,
        );
        const now = Date.now();
        for (const [i, { id, body }] of fresh.entries()) {
          const n = box.seq + i + 1;
          connection.run(
            `INSERT INTO ${table} (box, position, id, change, added_at, body) VALUES (?, ?, ?, ?, ?, ?)`,
            ...[key, n, id, n, now, body],
          );
        }
        if (fresh.length > 0)
          save(connection, { ...box, seq: box.seq + fresh.length, unread: box.unread + fresh.length });
        return fresh.map(({ id }) => id);
      }),
    list: (owner, { before, limit, state }) =>
      within('DEFERRED', (connection) => {
        const box = boxOf(connection, owner);
        if (box === null) return { box, rows: [] };
        const where = `position < ? AND ${IS_IN[state]} ORDER BY position DESC LIMIT ?`;
        return { box, rows: rowsOf(connection, where, Number(box.key), before, limit) };
      }),
    box: (owner) => within('DEFERRED', (connection) => boxOf(connection, owner)),
    mark: (owner, move, ids) =>
      // In this order: asked for an order of rows, SQLite would go through the whole inbox.
      change(owner, move, (connection, { key }) =>
        connection
          .all<Record<string, unknown>>(
            `SELECT m.* FROM json_each(?) AS given CROSS JOIN ${table} AS m ON m.box = ? AND m.id = given.value`,
            JSON.stringify(ids),
            Number(key),
          )
          .flatMap((row) => messageIn(row) ?? []),
      ),
    markSeen: (owner, { key, at, most }) =>
      change(owner, 'read', (connection, box) =>
        box.key === key
          ? rowsOf(connection, `position <= ? AND ${IS_IN.unread} ORDER BY position LIMIT ?`, Number(key), at, most)
          : [],
      ),
    changes: (owner, after, limit) =>
      within('DEFERRED', (connection) => {
        const box = boxOf(connection, owner);
        if (box === null) return { box, rows: [] };
        return { box, rows: rowsOf(connection, 'change > ? ORDER BY change LIMIT ?', Number(box.key), after, limit) };
      }),
    erase: (owner) =>
      within('IMMEDIATE', (connection) => {
        const key = Number(boxOf(connection, owner)?.key ?? -1);
        const count = connection.all(`DELETE FROM ${table} WHERE box = ? RETURNING 1`, key).length;
        connection.run(`DELETE FROM ${boxes} WHERE box = ?`, key);
        return count;
      }),
    clean: ({ olderThanMs, max }) =>
      within('IMMEDIATE', (connection) => {
        const gone = connection.all<Record<string, unknown> & { box: number }>(
          `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE added_at <= ? ORDER BY added_at LIMIT ?)
           RETURNING box, id, read_at, archived_at`,
          Date.now() - olderThanMs,
          max,
        );
        const unread = new Map<number, number>();
        for (const row of gone) {
          const message = messageIn(row);
          unread.set(row.box, (unread.get(row.box) ?? 0) + Number(message !== null && isUnread(message)));
        }
        for (const [key, count] of unread) {
          connection.run(
            `UPDATE ${boxes} SET seq = seq + 1, removed = seq + 1, unread = unread - ? WHERE box = ?`,
            ...[count, key],
          );
          connection.run(
            `DELETE FROM ${boxes} WHERE box = ? AND NOT EXISTS (SELECT 1 FROM ${table} AS m WHERE m.box = ${boxes}.box)`,
            key,
          );
        }
        return gone.length;
      }),
    close: () => place.close(),
  };
}
