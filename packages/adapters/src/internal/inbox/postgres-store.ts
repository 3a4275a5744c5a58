import { SendonceError } from '@sendonce/core';
import type { Query, Row } from '../postgres/connection.ts';
import { isConflict, isNotMigrated, unavailable } from '../postgres/failures.ts';
import { boxesOf, boxIn, IS_IN, messageIn } from './sql.ts';
import type { Changed, Found, InboxStore, Owner } from './store.ts';

/**
 * How often a call is tried where the application has every transaction serializable: of those that waited for one lock all but one are
 * refused, and wait again.
 */
const TRIES = 50;

export function postgresStore(query: Query, table: string): InboxStore {
  const boxes = boxesOf(table);
  const BOX = 'b.box::text AS box, b.seq::text AS seq, b.unread::text AS unread, b.removed::text AS removed';

  async function ask(text: string, values: readonly string[]): Promise<readonly Row[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await query(text, values, true);
      } catch (error) {
        if (isConflict(error) && tries < TRIES) continue;
        throw failed(error, table);
      }
    }
  }

  async function answer(call: string, values: readonly string[]): Promise<unknown> {
    const [row] = await ask(`SELECT ${call}::text AS answer`, values);
    return JSON.parse(row?.['answer'] ?? 'null') as unknown;
  }

  /** An inbox with some of its messages, in one statement: both are of one moment. */
  async function find(
    { tenant, recipientId }: Owner,
    { where, order }: { readonly where: string; readonly order: string },
    values: readonly number[],
  ): Promise<Found> {
    const rows = await ask(
      `SELECT ${BOX}, m.position::text AS position, m.id, m.change::text AS change, m.added_at::text AS added_at,
         m.read_at::text AS read_at, m.archived_at::text AS archived_at, m.body
       FROM ${boxes} b LEFT JOIN LATERAL (SELECT * FROM ${table} t WHERE t.box = b.box AND ${where}
         ORDER BY ${order} LIMIT $4::int) m ON true
       WHERE b.tenant = $1 AND b.recipient = $2 ORDER BY m.${order}`,
      [tenant, recipientId, ...values.map(String)],
    );
    return { box: boxIn(rows[0]), rows: rows.flatMap((row) => messageIn(row) ?? []) };
  }

  async function change(values: readonly string[], call: string): Promise<Changed> {
    const made = (await answer(call, values)) as Record<string, number> | null;
    return made === null ? { box: null, changed: 0 } : { box: boxIn(made), changed: made['changed'] ?? 0 };
  }

  return {
    async put({ tenant, recipientId }, items) {
      const given = items.map(({ id, body }) => ({ id, body }));
      const call = `${table}_put($1, $2, $3::json)`;
      return (await answer(call, [tenant, recipientId, JSON.stringify(given)])) as string[];
    },
    list: (owner, { before, limit, state }) =>
      find(owner, { where: `position < $3::bigint AND ${IS_IN[state]}`, order: 'position DESC' }, [before, limit]),
    async box({ tenant, recipientId }) {
      const [row] = await ask(`SELECT ${BOX} FROM ${boxes} b WHERE b.tenant = $1 AND b.recipient = $2`, [
        tenant,
        recipientId,
      ]);
      return boxIn(row);
    },
    mark: ({ tenant, recipientId }, move, ids) =>
      change([tenant, recipientId, move, JSON.stringify(ids)], `${table}_mark($1, $2, $3, $4::json, NULL, NULL, NULL)`),
    async markSeen(owner, { key, at, most }) {
      const { tenant, recipientId } = owner;
      // Keys of another store are no numbers.
      if (!/^\d{1,18}$/.test(key)) return { box: await this.box(owner), changed: 0 };
      return change(
        [tenant, recipientId, key, String(at), String(most)],
        `${table}_mark($1, $2, 'read', NULL, $3::bigint, $4::bigint, $5::int)`,
      );
    },
    changes: (owner, after, limit) => find(owner, { where: 'change > $3::bigint', order: 'change' }, [after, limit]),
    async erase({ tenant, recipientId }) {
      return Number(await answer(`${table}_erase($1, $2)`, [tenant, recipientId]));
    },
    async clean({ olderThanMs, max }) {
      return Number(await answer(`${table}_clean($1::bigint, $2::int)`, [String(olderThanMs), String(max)]));
    },
    close: async () => undefined,
  };
}

/** The error that a user sees for a driver's. */
export function failed(error: unknown, table: string): SendonceError {
  if (!isNotMigrated(error)) return unavailable(error, table, `inbox '${table}'`);
  return new SendonceError(
    'LEDGER_NOT_MIGRATED',
    `there is no inbox '${table}' of this release; run once: npx notify migrate (with --print it prints the SQL for another tool), or from code: await inbox.migrate()`,
    { cause: error },
  );
}
