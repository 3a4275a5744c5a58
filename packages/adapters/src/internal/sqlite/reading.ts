import {
  DELIVERY_STATES,
  NOTIFICATION_STATES,
  type Counts,
  type DeliveryFilter,
  type DeliveryRecord,
  type Ledger,
  type NotificationFilter,
  type NotificationRecord,
  type Page,
} from '@sendonce/core';
import { readCounters } from './counters.ts';
import type { Connection, SqlValue } from './database.ts';
import { isListedByAttention, recordOf, storyOf, type DeliveryRow, type Parent } from './delivery-rows.ts';

type Reading = Pick<Ledger, 'find' | 'findNotifications' | 'list' | 'listNotifications' | 'count' | 'history'>;
const DEFAULT_LIMIT = 100;

type JoinedRow = DeliveryRow & { readonly parent: string };
const JOINED = `SELECT d.seq, d.id, d.notification, d.fixed, d.body, n.body AS parent,
    (SELECT message FROM sendonce_contents WHERE delivery = d.seq) AS message
  FROM sendonce_deliveries d JOIN sendonce_notifications n ON n.seq = d.notification`;

/** Runs something that reads, on one snapshot of the file. */
export type Snapshot = <T>(read: (connection: Connection) => T) => Promise<T>;

export function reading(snapshot: Snapshot, now: () => number): Reading {
  return {
    find: (ids) =>
      snapshot((connection) =>
        ids.map((id) => {
          const row = connection.get<JoinedRow>(`${JOINED} WHERE d.id = ?`, id);
          return row === undefined ? null : readable(row);
        }),
      ),
    findNotifications: (ids) =>
      snapshot((connection) =>
        ids.map((id) => {
          const row = connection.get<NotificationRow>(
            'SELECT seq, body, data FROM sendonce_notifications WHERE id = ?',
            id,
          );
          return row === undefined ? null : notificationOf(row);
        }),
      ),
    list: (filter, { limit = DEFAULT_LIMIT, cursor = null } = {}) =>
      snapshot((connection) => {
        const after = Number(cursor ?? -1);
        const rows = scansOf(filter, now()).flatMap(({ conditions, values }) =>
          connection.all<JoinedRow>(
            `${JOINED} WHERE d.seq > ?${conditions.map((each) => ` AND ${each}`).join('')} ORDER BY d.seq LIMIT ?`,
            after,
            ...values,
            limit,
          ),
        );
        return pageOf(rows.sort((a, b) => a.seq - b.seq).slice(0, limit), limit, readable);
      }),
    listNotifications: (filter, { limit = DEFAULT_LIMIT, cursor = null } = {}) =>
      snapshot((connection) => {
        const { conditions, values } = notificationConditions(filter);
        const sql = `SELECT seq, body, data FROM sendonce_notifications WHERE seq > ?${conditions.map((each) => ` AND ${each}`).join('')} ORDER BY seq LIMIT ?`;
        const rows = connection.all<NotificationRow>(sql, Number(cursor ?? -1), ...values, limit);
        return pageOf(rows, limit, notificationOf);
      }),
    count: () => snapshot((connection) => count(connection, now())),
    history: (id) =>
      snapshot((connection) => {
        const row = connection.get<{ story: string }>('SELECT story FROM sendonce_deliveries WHERE id = ?', id);
        return row === undefined ? [] : storyOf(row.story);
      }),
  };
}

/** Null for a row that was damaged: `count` tells of it. */
function readable(row: JoinedRow): DeliveryRecord | null {
  try {
    return recordOf(row, { ...(JSON.parse(row.parent) as Omit<Parent, 'seq'>), seq: row.notification });
  } catch {
    return null;
  }
}

interface NotificationRow {
  readonly seq: number;
  readonly body: string;
  readonly data: string | null;
}

function notificationOf({ body, data }: NotificationRow): NotificationRecord {
  const record = JSON.parse(body) as Omit<NotificationRecord, 'data'>;
  return { ...record, data: data === null ? null : (JSON.parse(data) as unknown) };
}

function pageOf<Row extends { readonly seq: number }, T>(
  rows: readonly Row[],
  limit: number,
  make: (row: Row) => T | null,
): Page<T> {
  const last = rows.at(-1);
  const items = rows.map(make).filter((item): item is T & {} => item !== null);
  return { items, cursor: last === undefined || rows.length < limit ? null : String(last.seq) };
}

interface Conditions {
  readonly conditions: readonly string[];
  readonly values: readonly SqlValue[];
}

/**
 * The queries that together make a list. Where an index has the states, each state is one query: its rows come in order of themselves,
 * while those of several states at once would all be sorted for every page.
 */
function scansOf(filter: DeliveryFilter, now: number): readonly Conditions[] {
  const { states } = filter;
  const rest = conditionsOf(filter, now);
  if (states === undefined) return [rest];
  const { conditions, values } = rest;
  if (!isListedByAttention(states))
    return [
      {
        conditions: ['d.state IN (SELECT value FROM json_each(?))', ...conditions],
        values: [JSON.stringify(states), ...values],
      },
    ];
  return [...new Set(states)].map((state) => ({
    conditions: ['d.attention = ?', ...conditions],
    values: [state, ...values],
  }));
}

/** All but the states. */
function conditionsOf(filter: DeliveryFilter, now: number): Conditions {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  function add(condition: string, ...more: SqlValue[]): void {
    conditions.push(condition);
    values.push(...more);
  }
  const { notificationId, tenant, type, channel, provider, recipientId, settledForMs, redrivesBelow } = filter;
  if (notificationId !== undefined)
    add('d.notification = (SELECT seq FROM sendonce_notifications WHERE id = ?)', notificationId);
  if (tenant !== undefined) add('n.tenant = ?', tenant);
  if (type !== undefined) add('n.type = ?', type);
  if (channel !== undefined) add('d.channel = ?', channel);
  if (provider !== undefined) add('d.provider = ?', provider);
  if (recipientId !== undefined) add('d.recipient = ?', recipientId);
  if (settledForMs !== undefined) add('d.settled_at <= ?', now - settledForMs);
  if (redrivesBelow !== undefined)
    add(`(d.fixed ->> 'redrives') < ? AND (d.body ->> 'replacedBy') IS NULL`, redrivesBelow);
  return { conditions, values };
}

function notificationConditions({ states, sealed }: NotificationFilter): Conditions {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  if (states !== undefined) {
    conditions.push('state IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(states));
  }
  if (sealed !== undefined) {
    conditions.push('sealed = ?');
    values.push(sealed ? 1 : 0);
  }
  return { conditions, values };
}

function count(connection: Connection, now: number): Counts {
  const sums = readCounters(connection);
  const one = (sql: string): number => connection.get<{ n: number | null }>(sql)?.n ?? 0;
  const oldest = connection.get<{ at: number | null }>(
    `SELECT min(at) AS at FROM (
       SELECT min(work_at) AS at FROM sendonce_deliveries WHERE work_at IS NOT NULL
       UNION ALL SELECT min(work_at) FROM sendonce_notifications WHERE work_at IS NOT NULL)`,
  )?.at;
  const of = <State extends string>(prefix: string, states: readonly State[]): Record<State, number> =>
    Object.fromEntries(states.map((state) => [state, sums.get(`${prefix}:${state}`) ?? 0])) as Record<State, number>;
  return {
    deliveries: of('d', DELIVERY_STATES),
    notifications: of('n', NOTIFICATION_STATES),
    unsealed: one(
      `SELECT count(*) AS n FROM sendonce_notifications WHERE sealed = 0 AND over_at IS NULL AND body ->> 'recipients' = 'explicit'`,
    ),
    strays: one('SELECT count(*) AS n FROM sendonce_strays'),
    assumed: sums.get('assumed') ?? 0,
    refusedMoves: sums.get('refused') ?? 0,
    unreadable: one(`SELECT count(*) AS n FROM sendonce_deliveries WHERE attention = 'unreadable'`),
    oldestDueMs: Math.max(0, now - (oldest ?? now)),
  };
}
