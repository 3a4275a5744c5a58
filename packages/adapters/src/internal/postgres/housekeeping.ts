import type { Evidence, Ledger } from '@sendonce/core';
import { parsed } from '../sqlite/sound.ts';
import type { Query } from './connection.ts';
import { CLOCK_MS } from './schema.ts';
import { parameters } from './text.ts';

export interface HousekeepingOptions {
  readonly query: Query;
  readonly schema: string;
  readonly retentionMs: number;
  /** Looks at evidence again, which then moves what it is about. */
  readonly record: Ledger['record'];
}

/** A little at a time, so that nobody has to wait for it. */
const ROWS_PER_TURN = 500;
/** More than that many notifications of one recipient each, so that they go in one turn. */
const DELIVERIES_PER_TURN = 1_000;
/** Notifications, of which each may have many deliveries to look at. */
const FEW = 20;
const TURN_MS = 1_000;
const DAY_MS = 86_400_000;
/** Longer than any call takes to write what it has decided. */
const CROSSING_MS = 600_000;
/** Evidence that matched nothing for this long never will: providers deliver events for days, not for months. */
const EVIDENCE_MS = 30 * DAY_MS;

/**
 * Erases the content of what settled long enough ago, forgets notifications that have been over for `retentionMs`, drops what else has
 * had its time, and adds up the sums. At most once a second in a process, several processes beside each other.
 */
export function housekeeping({ query, schema, retentionMs, record }: HousekeepingOptions): () => Promise<void> {
  let nextAt = 0;
  // Each takes what has waited longest, which also keeps the planner on the index: without an order it reads the whole table for the
  // few that it expects to find soon.
  const clock = `clock AS MATERIALIZED (SELECT ${CLOCK_MS} AS ms)`;
  const erase = `WITH ${clock},
    old AS MATERIALIZED (SELECT id, notification FROM ${schema}.states WHERE erase_at <= (SELECT ms FROM clock)
      ORDER BY erase_at LIMIT ${ROWS_PER_TURN} FOR UPDATE SKIP LOCKED),
    erased_contents AS (DELETE FROM ${schema}.contents c USING old WHERE c.delivery = old.id),
    erased_data AS (UPDATE ${schema}.deliveries d SET data = NULL FROM old WHERE d.notification = old.notification AND d.id = old.id),
    erased AS (UPDATE ${schema}.states s SET erase_at = NULL, version = version + 1 FROM old WHERE s.id = old.id),
    lapsed AS (DELETE FROM ${schema}.claims WHERE until <= (SELECT ms FROM clock)),
    outdated AS (DELETE FROM ${schema}.kept WHERE kept_at <= (SELECT ms FROM clock) - ${EVIDENCE_MS})
    SELECT (SELECT count(*) FROM old)::text AS n`;

  /** What a producer gave, once no dead letter needs it to make its content again; while one does, it is asked again tomorrow. */
  const eraseGiven = `WITH ${clock},
    old AS MATERIALIZED (SELECT id FROM ${schema}.notifications WHERE erase_at <= (SELECT ms FROM clock)
      ORDER BY erase_at LIMIT ${FEW} FOR UPDATE SKIP LOCKED),
    needed AS MATERIALIZED (SELECT DISTINCT old.id FROM old JOIN ${schema}.deliveries d ON d.notification = old.id
      JOIN ${schema}.states s ON s.id = d.id AND s.attention IN ('dead', 'failed', 'parked')),
    later AS (UPDATE ${schema}.notifications n SET erase_at = ms + ${DAY_MS} FROM needed, clock WHERE n.id = needed.id),
    erased AS (UPDATE ${schema}.notifications n SET erase_at = NULL, data = NULL FROM old
      WHERE n.id = old.id AND NOT EXISTS (SELECT FROM needed WHERE needed.id = n.id))
    SELECT count(*)::text AS n FROM old`;

  const add = `WITH few AS MATERIALIZED (SELECT ctid FROM ${schema}.sums LIMIT 5000 FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM ${schema}.sums s USING few WHERE s.ctid = few.ctid RETURNING s.name, s.n)
    INSERT INTO ${schema}.sums (name, n) SELECT name, sum(n) FROM gone GROUP BY name HAVING sum(n) <> 0`;

  /**
   * Whole notifications, and only when none of their deliveries is open; the notification goes with its last delivery. The deliveries come
   * in the order of their index, as many as fit: to sort all of a million would be done again for each of its turns.
   */
  const forget = `WITH ${clock},
    over AS MATERIALIZED (SELECT id FROM ${schema}.notifications WHERE over_at <= (SELECT ms FROM clock) - ${retentionMs} AND open = 0
      ORDER BY over_at LIMIT ${ROWS_PER_TURN} FOR UPDATE SKIP LOCKED),
    old AS MATERIALIZED (SELECT d.id, over.id AS notification FROM over, LATERAL (
      SELECT id FROM ${schema}.deliveries WHERE notification = over.id ORDER BY id LIMIT ${DELIVERIES_PER_TURN}) AS d LIMIT ${DELIVERIES_PER_TURN}),
    empty AS MATERIALIZED (SELECT over.id FROM over WHERE (SELECT count(*) FROM old) < ${DELIVERIES_PER_TURN}),
    m AS (DELETE FROM ${schema}.messages x USING old WHERE x.delivery = old.id),
    c AS (DELETE FROM ${schema}.contents x USING old WHERE x.delivery = old.id),
    s AS (DELETE FROM ${schema}.states x USING old WHERE x.id = old.id),
    d AS (DELETE FROM ${schema}.deliveries x USING old WHERE x.notification = old.notification AND x.id = old.id),
    p AS (DELETE FROM ${schema}.pages x USING empty WHERE x.notification = empty.id),
    n AS (DELETE FROM ${schema}.notifications x USING empty WHERE x.id = empty.id)
    SELECT greatest((SELECT count(*) FROM old) - ${ROWS_PER_TURN}, (SELECT count(*) FROM over))::text AS n`;

  const kept = (columns: string): string => `FROM ${schema}.kept k WHERE ${columns}`;
  const crossed = `SELECT about, provider, message, kind, body ${kept(`kept_at > ${CLOCK_MS} - ${CROSSING_MS} AND (
      EXISTS (SELECT FROM ${schema}.states s WHERE s.id = k.about) OR EXISTS (SELECT FROM ${schema}.messages m WHERE m.key = k.about))`)}
    LIMIT ${ROWS_PER_TURN}`;

  /** Evidence was kept while the call that made its delivery or message known had looked already, and not yet written. */
  async function matchCrossed(): Promise<void> {
    for (const row of await query(crossed)) {
      const evidence = parsed<Evidence>(row['body'] ?? '');
      if (evidence !== undefined) await record([evidence]);
      const bound = parameters();
      const about = ['about', 'provider', 'message', 'kind'].map((name) => `k.${name} = ${bound.add(row[name] ?? '')}`);
      await query(`DELETE ${kept(about.join(' AND '))}`, bound.values);
    }
  }

  return async () => {
    const at = performance.now();
    if (at < nextAt) return;
    nextAt = at + TURN_MS;
    const turns = [
      [erase, ROWS_PER_TURN],
      [eraseGiven, FEW],
      [forget, ROWS_PER_TURN],
    ] as const;
    let isMore = false;
    for (const [statement, most] of turns) {
      const [row] = await query(statement);
      isMore ||= Number(row?.['n']) >= most;
    }
    await query(add);
    await matchCrossed();
    if (isMore) nextAt = 0;
  };
}
