import {
  DELIVERY_STATES,
  NOTIFICATION_STATES,
  type Counts,
  type DeliveryFilter,
  type Ledger,
  type NotificationFilter,
  type Page,
} from '@sendonce/core';
import { isListedByAttention } from '../sqlite/attention.ts';
import { FORGOTTEN } from '../sqlite/notification-row.ts';
import { storyOf } from '../sqlite/story.ts';
import type { Query, Row } from './connection.ts';
import { orUndefined } from '../ahead/facts.ts';
import { deliveryOf, notificationRecordOf } from './facts.ts';
import { DELIVERY_COLUMNS, NOTIFICATION_COLUMNS } from './questions.ts';
import { CLOCK_MS } from './schema.ts';
import { plain } from '../ahead/plain.ts';
import { parameters, type Parameters } from './text.ts';

type Reading = Pick<Ledger, 'find' | 'findNotifications' | 'list' | 'listNotifications' | 'count' | 'history'>;
const DEFAULT_LIMIT = 100;

/** What cannot be read is left out of what is found and listed: `count` tells of it. */
export function reading(query: Query, schema: string): Reading {
  const message = `(SELECT message FROM ${schema}.contents c WHERE c.delivery = d.id) AS message`;
  const of: Readonly<Record<string, string>> = {
    message,
    id: 's.id',
    notification: 's.notification',
    fixed: 'd.fixed',
    data: 'd.data',
  };
  const cells = DELIVERY_COLUMNS.map((name) => of[name] ?? `${name}::text AS ${name}`).join(', ');
  const deliveries = `SELECT ${cells} FROM ${schema}.states s JOIN ${schema}.deliveries d ON d.notification = s.notification AND d.id = s.id`;
  const notifications = `SELECT ${NOTIFICATION_COLUMNS.map((name) => `n.${name}::text AS ${name}`).join(', ')} FROM ${schema}.notifications n`;

  async function found<T>(
    source: string,
    alias: string,
    ids: readonly string[],
    make: (row: Row) => T,
  ): Promise<(T | null)[]> {
    const { values, table } = parameters();
    const wanted = table('w', [['id', Array.from(new Set(ids), plain)]]);
    const rows = await query(`${source} JOIN ${wanted} ON w.id = ${alias}.id`, values);
    const byId = new Map(rows.map((row) => [row['id'], row]));
    return ids.map((id) => {
      const row = byId.get(id);
      return row === undefined ? null : (orUndefined(() => make(row)) ?? null);
    });
  }

  return {
    find: (ids) => found(deliveries, 's', ids, deliveryOf),
    findNotifications: (ids) => found(notifications, 'n', ids, notificationRecordOf),
    async list(filter, { limit = DEFAULT_LIMIT, cursor = null } = {}) {
      const bound = parameters();
      const scans = scansOf(filter, bound).map(
        (
          conditions,
        ) => `(${deliveries} WHERE ${[`s.id > ${bound.add(plain(cursor ?? ''))}`, ...conditions].join(' AND ')}
          ORDER BY s.id LIMIT ${bound.add(limit)}::bigint)`,
      );
      const rows = scans.length === 0 ? [] : await query(scans.join('\nUNION ALL\n'), bound.values);
      const first = rows.toSorted((a, b) => ((a['id'] ?? '') < (b['id'] ?? '') ? -1 : 1)).slice(0, limit);
      return pageOf(first, limit, deliveryOf);
    },
    async listNotifications(filter, { limit = DEFAULT_LIMIT, cursor = null } = {}) {
      const bound = parameters();
      const conditions = [`n.id > ${bound.add(plain(cursor ?? ''))}`, ...notificationConditions(filter, bound)];
      const rows = await query(
        `${notifications} WHERE ${conditions.join(' AND ')} ORDER BY n.id LIMIT ${bound.add(limit)}::bigint`,
        bound.values,
      );
      return pageOf(rows, limit, notificationRecordOf);
    },
    count: async () => countsOf(await query(countStatement(schema))),
    async history(id) {
      const bound = parameters();
      const [row] = await query(`SELECT story FROM ${schema}.states WHERE id = ${bound.add(plain(id))}`, bound.values);
      return row === undefined ? [] : storyOf(row['story'] ?? '');
    },
  };
}

/** Each is a query of its own: where an index has the states, the rows of each state come in order of themselves. */
function scansOf(filter: DeliveryFilter, { add, table }: Parameters): readonly (readonly string[])[] {
  const { states, notificationId, tenant, type, channel, provider, recipientId, settledForMs, redrivesBelow } = filter;
  const rest: string[] = [];
  if (notificationId !== undefined) rest.push(`d.notification = ${add(plain(notificationId))}`);
  if (tenant !== undefined) rest.push(`d.tenant = ${add(plain(tenant))}`);
  if (type !== undefined) rest.push(`d.type = ${add(plain(type))}`);
  if (channel !== undefined) rest.push(`d.channel = ${add(plain(channel))}`);
  if (provider !== undefined) rest.push(`s.provider = ${add(plain(provider))}`);
  if (recipientId !== undefined) rest.push(`d.recipient = ${add(plain(recipientId))}`);
  if (settledForMs !== undefined) rest.push(`s.settled_at <= ${CLOCK_MS} - ${add(settledForMs)}::bigint`);
  if (redrivesBelow !== undefined)
    // As text: PostgreSQL refuses JSON that holds \u0000. A quote inside a value is escaped there, so neither pattern finds one.
    rest.push(
      `substring(d.fixed FROM '"redrives":([0-9]+)}$')::bigint < ${add(redrivesBelow)}::bigint`,
      `s.body !~ '[{,]"replacedBy":"'`,
    );
  if (states === undefined) return [rest];
  if (states.length === 0) return [];
  if (!isListedByAttention(states))
    return [[`s.state IN (SELECT state FROM ${table('x', [['state', states]])})`, ...rest]];
  return Array.from(new Set(states), (state) => [`s.attention = ${add(state)}`, ...rest]);
}

function notificationConditions({ states, sealed }: NotificationFilter, { add, table }: Parameters): string[] {
  const conditions = [`n.state <> '${FORGOTTEN}'`];
  if (states !== undefined)
    conditions.push(
      states.length === 0 ? 'false' : `n.state IN (SELECT state FROM ${table('x', [['state', states]])})`,
    );
  if (sealed !== undefined) conditions.push(`n.sealed = ${add(String(sealed))}::boolean`);
  return conditions;
}

function countStatement(schema: string): string {
  const count = (name: string, source: string): string => `SELECT '${name}', count(*)::text FROM ${schema}.${source}`;
  return [
    `SELECT name, sum(n)::text AS n FROM ${schema}.sums GROUP BY name`,
    count('assumed', 'states WHERE assumed'),
    count('strays', 'strays'),
    count('unsealed', `notifications WHERE NOT sealed AND over_at IS NULL AND recipients = 'explicit'`),
    count('unreadable', `states WHERE attention = 'unreadable'`),
    count('unreadable notifications', 'notifications WHERE unreadable'),
    `SELECT 'oldest', greatest(0, ${CLOCK_MS} - least(
       (SELECT min(work_at) FROM ${schema}.states WHERE work_at IS NOT NULL),
       (SELECT min(work_at) FROM ${schema}.notifications WHERE work_at IS NOT NULL)))::text`,
  ].join('\nUNION ALL\n');
}

function countsOf(rows: readonly Row[]): Counts {
  const sums = new Map(rows.map((row) => [row['name'], Number(row['n'] ?? 0)]));
  const of = (name: string): number => sums.get(name) ?? 0;
  const by = <State extends string>(prefix: string, states: readonly State[]): Record<State, number> =>
    Object.fromEntries(states.map((state) => [state, of(`${prefix}:${state}`)])) as Record<State, number>;
  return {
    deliveries: by('d', DELIVERY_STATES),
    notifications: by('n', NOTIFICATION_STATES),
    unsealed: of('unsealed'),
    forgotten: of(`n:${FORGOTTEN}`),
    strays: of('strays'),
    assumed: of('assumed'),
    refusedMoves: of('refused'),
    unreadable: of('unreadable') + of('unreadable notifications'),
    oldestDueMs: of('oldest'),
  };
}

function pageOf<T>(rows: readonly Row[], limit: number, make: (row: Row) => T): Page<T> {
  const items = rows.map((row) => orUndefined(() => make(row))).filter((item) => item !== undefined);
  const last = rows.at(-1)?.['id'] ?? null;
  return { items, cursor: rows.length < limit ? null : last };
}
