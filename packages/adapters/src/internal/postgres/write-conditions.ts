import type { Known } from '../ahead/known.ts';
import type { Run } from '../ahead/run.ts';
import type { Parameters } from './text.ts';

export interface ConditionOptions {
  readonly schema: string;
  readonly speaking: readonly string[];
  readonly isNewEpoch: boolean;
  /** Whoever has reserved the store goes on under this name; null: it has not. */
  readonly reservedBy: string | null;
  readonly presumesNew?: boolean;
}

/** A process that slept longer than this between reading and writing reads again: its moment is over. */
const FRESH_MS = 30_000;
/** By how much the moment that a call reckoned may be behind: more than that, and somebody has set the store's clock. */
const RECKONED_MS = 500;

/**
 * `verdict(ok)`: whether all that the run rests on still stands. What it changes, and what else it looked at, has the version that it
 * read; the store has the memory and, where it mattered, the opt-outs and blocks of then. `ok` is computed from rows that are locked.
 */
export function conditions(run: Run, known: Known, { add, table }: Parameters, options: ConditionOptions): string[] {
  const { schema, speaking, isNewEpoch, reservedBy, presumesNew = false } = options;
  const { nowMs = 0, isRecalled = false, hasKept = true } = known.store ?? {};
  const ctes: string[] = [];
  const all = [
    'EXISTS (SELECT FROM gate)',
    `(SELECT ms FROM clock) <= ${add(nowMs + (isRecalled ? RECKONED_MS : FRESH_MS))}::bigint`,
  ];
  if (isRecalled) all.push(`(SELECT ms FROM clock) >= ${add(nowMs)}::bigint`);
  if (isRecalled && !hasKept) all.push(`NOT EXISTS (SELECT FROM ${schema}.kept)`);
  const made = presumesNew ? [...run.notifications.entries()].filter(({ fact }) => fact === null) : [];
  if (made.length > 0)
    all.push(
      `NOT EXISTS (SELECT FROM ${table('m', [['id', made.map(({ id }) => id)]])} JOIN ${schema}.notifications n ON n.id = m.id)`,
    );
  all.push(`${schema}.identity() = ${add(known.store?.identityNow ?? '')}`);

  const alone = new Set(speaking);
  const read = [...run.deliveries.entries()].filter(
    (entry) => entry.fact !== null && (entry.isDirty || !alone.has(entry.id)),
  );
  if (read.length > 0) {
    const rows = table('w', [
      ['id', read.map(({ id }) => id)],
      ['version', read.map(({ fact }) => fact?.version ?? '')],
    ]);
    ctes.push(`held AS MATERIALIZED (SELECT s.id FROM ${rows} JOIN ${schema}.states s ON s.id = w.id AND s.version = w.version::bigint
      ORDER BY s.id FOR UPDATE OF s)`);
    all.unshift(`(SELECT count(*) FROM held) = ${add(read.length)}::bigint`);
  }

  const touched = touchedNotifications(run);
  if (touched.length > 0) {
    const rows = table('w', [
      ['id', touched.map(({ id }) => id)],
      ['version', touched.map(({ version }) => version)],
      ['told', touched.map(({ isTold }) => (isTold ? '1' : null))],
    ]);
    ctes.push(`held_notifications AS MATERIALIZED (SELECT n.id FROM ${rows} JOIN ${schema}.notifications n
      ON n.id = w.id AND (w.version IS NULL OR n.version = w.version::bigint) AND (w.told IS NULL OR n.ended)
      ORDER BY n.id FOR UPDATE OF n)`);
    all.splice(
      read.length > 0 ? 1 : 0,
      0,
      `(SELECT count(*) FROM held_notifications) = ${add(touched.length)}::bigint`,
    );
  }

  const { gates } = run;
  const changesStore = isNewEpoch || gates.suppressions.size > 0 || gates.blocks.size > 0;
  // Shared, where it only has to stand still until this is committed: an opt-out waits for the marks that did not see it.
  const lock = changesStore ? 'FOR UPDATE' : gates.wereAsked ? 'FOR SHARE' : '';
  const asRead = gates.wereAsked ? ` AND gates = ${add(known.store?.gates ?? '')}::bigint` : '';
  const isOurs = reservedBy === null ? '' : ` OR reserved_by = ${add(reservedBy)}`;
  const mayWrite = `(reserved_until <= (SELECT ms FROM clock)${isOurs})`;
  ctes.push(
    `gate AS MATERIALIZED (SELECT FROM ${schema}.store WHERE version = ${add(known.store?.version ?? '')}::bigint${asRead} AND ${mayWrite} ${lock})`,
    `verdict AS MATERIALIZED (SELECT ${all.join(' AND ')} AS ok)`,
  );
  return ctes;
}

interface Touched {
  readonly id: string;
  /** Null: only its count of open deliveries changes, whatever else does. */
  readonly version: string | null;
  readonly isTold: boolean;
}

/** Notifications that are there already and will be written. */
function touchedNotifications({ notifications }: Run): readonly Touched[] {
  const touched = new Map<string, Touched>();
  const told = new Set(notifications.told);
  const made = new Set<string>();
  for (const { id, fact, isDirty } of notifications.entries()) {
    if (fact === null) made.add(id);
    else if (isDirty) touched.set(id, { id, version: fact.version, isTold: told.has(id) });
  }
  for (const id of [...notifications.opened.keys(), ...told])
    if (!touched.has(id) && !made.has(id)) touched.set(id, { id, version: null, isTold: told.has(id) });
  return [...touched.values()];
}
