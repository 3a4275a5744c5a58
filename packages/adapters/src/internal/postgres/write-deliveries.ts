import type { DeliveryRecord } from '@sendonce/core';
import { watchAt, workAt } from '@sendonce/core/records';
import { attentionOf } from '../sqlite/attention.ts';
import { bodyOf, fixedOf, NOT_READ } from '../sqlite/delivery-row.ts';
import { eraseAt } from '../sqlite/retention.ts';
import type { Run } from '../ahead/run.ts';
import type { DeliveryEntry } from '../ahead/run-deliveries.ts';
import { plain } from '../ahead/plain.ts';
import type { Columns, Parameters } from './text.ts';

export interface DeliveryWriteOptions {
  readonly schema: string;
  readonly contentRetentionMs: number;
}

/** What stands in a state's row beside its id and version, with the type of each. */
const CHANGING = [
  ['provider', 'text'],
  ['state', 'text'],
  ['work_at', 'bigint'],
  ['watch_at', 'bigint'],
  ['attention', 'text'],
  ['settled_at', 'bigint'],
  ['erase_at', 'bigint'],
  ['assumed', 'boolean'],
  ['body', 'text'],
] as const;
const NAMES: string = CHANGING.map(([name]) => name).join(', ');
const VALUES: string = CHANGING.map(([name, type]) => `r.${name}::${type}`).join(', ');

export function deliveryWrites({ deliveries }: Run, { table }: Parameters, options: DeliveryWriteOptions): string[] {
  const { schema, contentRetentionMs } = options;
  const all = [...deliveries.entries()].filter((entry) => entry.isDirty);
  const dirty = all.filter((entry) => !entry.isRemoved);
  const removed = all.filter((entry) => entry.isRemoved);
  const made = dirty.filter((entry) => entry.fact === null).sort((a, b) => (a.id < b.id ? -1 : 1));
  const changed = dirty.filter((entry) => entry.fact !== null);
  const frozen = dirty.filter((entry) => entry.isFrozenNow && entry.record.message !== NOT_READ);
  const ctes: string[] = [];

  if (removed.length > 0) ctes.push(...removals(removed, table, schema));
  if (changed.length > 0)
    ctes.push(`states_written AS (UPDATE ${schema}.states s
      SET (version, ${NAMES}, story) = (s.version + 1, ${VALUES}, s.story || coalesce(r.story, ''))
      FROM verdict, ${table('r', stateColumns(changed, contentRetentionMs))} WHERE ok AND s.id = r.id)`);
  if (made.length > 0)
    ctes.push(
      `deliveries_made AS (INSERT INTO ${schema}.deliveries (id, notification, tenant, type, class, recipient, channel, fixed, data)
        SELECT id, notification, coalesce(tenant, ''), coalesce(type, ''), class, coalesce(recipient, ''), channel, fixed, data
        FROM verdict, ${table('r', fixedColumns(made))} WHERE ok)`,
      `states_made AS (INSERT INTO ${schema}.states (id, notification, ${NAMES}, story)
        SELECT r.id, r.notification, ${VALUES}, coalesce(r.story, '') FROM verdict, ${table('r', [
          ['notification', made.map(({ record }) => record.notificationId)],
          ...stateColumns(made, contentRetentionMs),
        ])} WHERE ok)`,
    );
  if (frozen.length > 0) {
    const rows = table('r', [
      ['delivery', frozen.map(({ id }) => id)],
      ['message', frozen.map(({ record }) => JSON.stringify(record.message))],
    ]);
    ctes.push(`frozen AS (INSERT INTO ${schema}.contents (delivery, message)
      SELECT delivery, message FROM verdict, ${rows} WHERE ok ON CONFLICT DO NOTHING)`);
  }
  if (deliveries.learned.length > 0) {
    const rows = table('r', [
      ['key', deliveries.learned.map(([key]) => plain(key))],
      ['delivery', deliveries.learned.map(([, delivery]) => delivery)],
    ]);
    ctes.push(`learned AS (INSERT INTO ${schema}.messages (key, delivery)
      SELECT key, delivery FROM verdict, ${rows} WHERE ok ON CONFLICT DO NOTHING)`);
  }
  const sums = [...sumsOf(dirty)].filter(([, n]) => n !== 0);
  if (sums.length > 0) {
    const rows = table('r', [
      ['name', sums.map(([state]) => `d:${state}`)],
      ['n', sums.map(([, n]) => n)],
    ]);
    ctes.push(
      `summed AS (INSERT INTO ${schema}.sums (name, n) SELECT name, r.n::bigint FROM verdict, ${rows} WHERE ok)`,
    );
  }
  return ctes;
}

/** Their sums are the trigger's. */
function removals(removed: readonly DeliveryEntry[], table: Parameters['table'], schema: string): readonly string[] {
  const rows = table('r', [
    ['id', removed.map(({ id }) => id)],
    ['notification', removed.map(({ record }) => record.notificationId)],
  ]);
  const each = (name: string, condition: string): string =>
    `${name}_removed AS (DELETE FROM ${schema}.${name} x USING gone WHERE ${condition})`;
  return [
    `gone AS MATERIALIZED (SELECT r.id, r.notification FROM verdict, ${rows} WHERE ok)`,
    each('messages', 'x.delivery = gone.id'),
    each('contents', 'x.delivery = gone.id'),
    each('states', 'x.id = gone.id'),
    each('deliveries', 'x.notification = gone.notification AND x.id = gone.id'),
  ];
}

/** By how much the number of deliveries in each state changes. */
function sumsOf(dirty: readonly DeliveryEntry[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const add = (state: string, n: number): void => void sums.set(state, (sums.get(state) ?? 0) + n);
  for (const { fact, record } of dirty) {
    if (fact?.record !== undefined) add(fact.record.state, -1);
    add(record.state, 1);
  }
  return sums;
}

function stateColumns(entries: readonly DeliveryEntry[], contentRetentionMs: number): Columns {
  const of = <T>(value: (record: DeliveryRecord) => T): readonly T[] => entries.map(({ record }) => value(record));
  return [
    ['id', entries.map(({ id }) => id)],
    ['provider', of(({ provider }) => plain(provider))],
    ['state', of(({ state }) => state)],
    ['work_at', of(workAt)],
    ['watch_at', of(watchAt)],
    ['attention', of(attentionOf)],
    ['settled_at', of(({ settledAt }) => settledAt)],
    ['erase_at', of((record) => eraseAt(record, contentRetentionMs))],
    ['assumed', of(({ assumed }) => assumed)],
    ['body', of(bodyOf)],
    ['story', entries.map(({ story }) => story)],
  ];
}

function fixedColumns(entries: readonly DeliveryEntry[]): Columns {
  const of = <T>(value: (record: DeliveryRecord) => T): readonly T[] => entries.map(({ record }) => value(record));
  return [
    ['id', of(({ id }) => id)],
    ['notification', of(({ notificationId }) => notificationId)],
    ['tenant', of(({ tenant }) => plain(tenant))],
    ['type', of(({ type }) => plain(type))],
    ['class', of((record) => record.class)],
    ['recipient', of(({ target }) => plain(target.recipientId))],
    ['channel', of(({ target }) => target.channel)],
    // The data are erased one day; they stand apart.
    ['fixed', of((record) => fixedOf({ ...record, target: { ...record.target, data: {} } }))],
    ['data', of(({ target }) => JSON.stringify(target.data))],
  ];
}
