import { notificationWorkAt } from '@sendonce/core/records';
import { FORGOTTEN, notificationBodyOf } from '../sqlite/notification-row.ts';
import type { Run } from '../ahead/run.ts';
import { EXPANDED, type Entry } from '../ahead/run-notifications.ts';
import { plain } from '../ahead/plain.ts';
import type { Columns, Parameters } from './text.ts';

export interface NotificationWriteOptions {
  readonly schema: string;
  readonly contentRetentionMs: number;
  readonly retentionMs: number;
  readonly tombstoneRetentionMs: number | null;
}

/** The state after the write: what is expanded and has no delivery open is done, however many calls settle its last ones at once. */
const STATE =
  `CASE WHEN coalesce(r.state, n.state) = 'expanded' AND n.open + coalesce(r.opened::bigint, 0) <= 0 THEN 'done' ELSE coalesce(r.state, n.state) END` as const;
const IS_OVER = `(${STATE}) IN ('done', 'cancelled', 'failed')` as const;

export function notificationWrites(run: Run, bound: Parameters, options: NotificationWriteOptions): string[] {
  const { notifications } = run;
  const { schema, contentRetentionMs } = options;
  const entries = [...notifications.entries()];
  const made = entries.filter((entry) => entry.fact === null).sort((a, b) => (a.id < b.id ? -1 : 1));
  const ctes: string[] = [];
  if (made.length > 0)
    ctes.push(`notifications_made AS (
      INSERT INTO ${schema}.notifications (id, tenant, type, state, sealed, recipients, work_at, body, data)
      SELECT id, coalesce(tenant, ''), coalesce(type, ''), state, sealed::boolean, recipients, work_at::bigint, body, data
      FROM verdict, ${bound.table('r', madeColumns(made))} WHERE ok)`);

  const buried = entries.filter((entry) => entry.isDirty && isTombstone(entry));
  if (buried.length > 0) ctes.push(...burials(buried, bound, options));

  const changed = changes(run);
  if (changed.length > 0)
    // Told once: `ended` is cleared when the sweep has told of it, and is not set again by a later write.
    ctes.push(`notifications_written AS (UPDATE ${schema}.notifications n SET
      version = n.version + CASE WHEN r.state IS NOT NULL OR (${STATE}) <> n.state THEN 1 ELSE 0 END,
      state = ${STATE},
      sealed = coalesce(r.sealed::boolean, n.sealed),
      open = n.open + coalesce(r.opened::bigint, 0),
      work_at = CASE WHEN r.state IS NULL THEN n.work_at ELSE r.work_at::bigint END,
      body = coalesce(r.body, n.body),
      ended = CASE WHEN r.told IS NOT NULL THEN false
        WHEN n.over_at IS NULL AND ${IS_OVER} AND (${STATE}) <> 'cancelled' THEN true ELSE n.ended END,
      over_at = CASE WHEN ${IS_OVER} THEN coalesce(n.over_at, ms) END,
      erase_at = CASE WHEN ${IS_OVER} AND n.over_at IS NULL THEN ms + ${bound.add(contentRetentionMs)}::bigint ELSE n.erase_at END
      FROM verdict, clock, ${bound.table('r', changed)} WHERE ok AND n.id = r.id)`);
  return [...ctes, ...pageWrites(run, bound, schema)];
}

function isTombstone(entry: Entry | undefined): boolean {
  return entry?.record.forgottenAt !== undefined;
}

/** The row stays, as one of which nobody asks for work: what is accepted under its id is known by it. */
function burials(
  buried: readonly Entry[],
  { add, table }: Parameters,
  { schema, retentionMs, tombstoneRetentionMs }: NotificationWriteOptions,
): readonly string[] {
  const rows = table('r', [
    ['id', buried.map(({ id }) => id)],
    ['body', buried.map(({ record }) => notificationBodyOf(record))],
  ]);
  const overAt = tombstoneRetentionMs === null ? 'NULL' : `ms + ${add(tombstoneRetentionMs - retentionMs)}::bigint`;
  return [
    `buried AS (UPDATE ${schema}.notifications n SET version = n.version + 1, state = '${FORGOTTEN}', sealed = true, open = 0, work_at = NULL,
      ended = false, over_at = ${overAt}, erase_at = NULL, body = r.body, data = NULL FROM verdict, clock, ${rows} WHERE ok AND n.id = r.id RETURNING n.id)`,
    `buried_pages AS (DELETE FROM ${schema}.pages p USING buried WHERE p.notification = buried.id)`,
  ];
}

function madeColumns(entries: readonly Entry[]): Columns {
  const of = <T>(value: (record: Entry['record']) => T): readonly T[] => entries.map(({ record }) => value(record));
  return [
    ['id', of(({ id }) => id)],
    ['tenant', of(({ tenant }) => plain(tenant))],
    ['type', of(({ type }) => plain(type))],
    ['state', of(({ state }) => state)],
    ['sealed', of(({ sealed }) => sealed)],
    ['recipients', of(({ recipients }) => recipients)],
    ['work_at', of(notificationWorkAt)],
    ['body', of(notificationBodyOf)],
    ['data', of(({ data }) => JSON.stringify(data) ?? null)],
  ];
}

/** Of those that are there already: whole records, and where only a count or the telling changes, that alone. */
function changes({ notifications }: Run): Columns | [] {
  const { opened } = notifications;
  const told = new Set(notifications.told);
  const entries = new Map(Array.from(notifications.entries(), (entry) => [entry.id, entry]));
  const ids = new Set([...opened.keys(), ...told]);
  for (const { id, fact, isDirty } of entries.values()) {
    if (fact === null) ids.delete(id);
    else if (isTombstone(entries.get(id))) ids.delete(id);
    else if (isDirty) ids.add(id);
  }
  if (ids.size === 0) return [];
  const written = Array.from(ids, (id) => {
    const entry = entries.get(id);
    return { id, record: entry?.isDirty === true ? entry.record : null };
  });
  return [
    ['id', written.map(({ id }) => id)],
    ['state', written.map(({ record }) => record && record.state)],
    ['sealed', written.map(({ record }) => record && record.sealed)],
    ['work_at', written.map(({ record }) => record && notificationWorkAt(record))],
    ['body', written.map(({ record }) => record && notificationBodyOf(record))],
    ['opened', written.map(({ id }) => opened.get(id) ?? 0)],
    ['told', written.map(({ id }) => (told.has(id) ? '1' : null))],
  ];
}

function pageWrites({ notifications }: Run, { table }: Parameters, schema: string): string[] {
  const { pages, dropped } = notifications;
  const ctes: string[] = [];
  const isOwn = (notification: string, page: number): boolean => pages.get(notification)?.has(page) === true;
  const gone = new Set(dropped.map(([notification, page]) => `${notification} ${page}`));
  const stored = [...pages].flatMap(([notification, own]) =>
    [...own].map(([page, each]) => ({ notification, page, ...each })),
  );
  if (stored.length > 0) {
    const rows = table('r', [
      ['notification', stored.map(({ notification }) => notification)],
      ['page', stored.map(({ page }) => page)],
      ['targets', stored.map(({ targets }) => targets.length)],
      ['fingerprint', stored.map((each) => each.fingerprint)],
      ['content', stored.map((each) => (gone.has(`${each.notification} ${each.page}`) ? EXPANDED : each.content))],
    ]);
    const lasts = table('r', [
      ['notification', [...pages.keys()]],
      ['page', Array.from(pages.values(), (own) => Math.max(...own.keys()))],
    ]);
    ctes.push(
      `pages_written AS (INSERT INTO ${schema}.pages (notification, page, targets, fingerprint, content)
        SELECT notification, page::integer, targets::integer, fingerprint, content FROM verdict, ${rows} WHERE ok
        ON CONFLICT (notification, page) DO UPDATE
          SET targets = excluded.targets, fingerprint = excluded.fingerprint, content = excluded.content)`,
      `pages_after AS (DELETE FROM ${schema}.pages p USING verdict, ${lasts}
        WHERE ok AND p.notification = r.notification AND p.page > r.page::integer)`,
    );
  }
  const expanded = dropped.filter(([notification, page]) => !isOwn(notification, page));
  if (expanded.length > 0) {
    const rows = table('r', [
      ['notification', expanded.map(([notification]) => notification)],
      ['page', expanded.map(([, page]) => page)],
    ]);
    ctes.push(`pages_expanded AS (UPDATE ${schema}.pages p SET content = '${EXPANDED}' FROM verdict, ${rows}
      WHERE ok AND p.notification = r.notification AND p.page = r.page::integer)`);
  }
  return ctes;
}
