import { keyOfEvidence } from '@sendonce/core/records';
import { isEpochChange } from '../ahead/changes.ts';
import { UNREADABLE } from '../sqlite/attention.ts';
import type { Run } from '../ahead/run.ts';
import type { WriteOptions } from '../ahead/transact.ts';
import type { Known } from '../ahead/known.ts';
import { conditions } from './write-conditions.ts';
import { deliveryWrites } from './write-deliveries.ts';
import { notificationWrites } from './write-notifications.ts';
import { CLOCK_MS } from './schema.ts';
import { plain } from '../ahead/plain.ts';
import { parameters, type Parameters } from './text.ts';

export interface StatementOptions extends WriteOptions {
  readonly schema: string;
  readonly contentRetentionMs: number;
  readonly retentionMs: number;
  readonly tombstoneRetentionMs: number | null;
}

/**
 * One statement that writes all that the run changed, or nothing when somebody changed what it rests on; it answers `ok`. Rows are
 * locked first, in the order of their ids, so that two batches never wait for each other.
 */
export function writeStatement(
  run: Run,
  known: Known,
  options: StatementOptions,
): { readonly text: string; readonly values: readonly string[] } {
  const { schema } = options;
  const bound = parameters();
  const isNewEpoch = isEpochChange(run, known);
  const ctes = [
    `clock AS MATERIALIZED (SELECT ${CLOCK_MS} AS ms)`,
    ...conditions(run, known, bound, { ...options, isNewEpoch }),
    ...deliveryWrites(run, bound, options),
    ...notificationWrites(run, bound, options),
    ...gateWrites(run, bound, schema),
    ...otherWrites(run, bound, schema),
    ...setAside(known, bound, schema),
  ];
  const answer = ['verdict.ok::text AS ok', '(SELECT ms FROM clock)::text AS ms'];
  if (isNewEpoch) {
    const { identityNow = '' } = known.store ?? {};
    const { last, changedAt, quietUntil, isReckoned } = run.epochs.saved;
    ctes.push(`store_written AS (UPDATE ${schema}.store SET version = version + 1, identity = ${bound.add(identityNow)},
      changed_at = ${changedAt === null ? 'NULL' : bound.add(changedAt)}::bigint, quiet_until = ${bound.add(quietUntil)}::bigint,
      reckoned = ${bound.add(String(isReckoned))}::boolean FROM verdict WHERE ok)`);
    answer.push(
      `CASE WHEN verdict.ok THEN (SELECT setval('${schema}.fences', greatest(last_value, ${bound.add(last)}::bigint)) FROM ${schema}.fences) END::text AS raised`,
    );
  }
  return { text: `WITH ${ctes.join(',\n')}\nSELECT ${answer.join(', ')} FROM verdict`, values: bound.values };
}

function gateWrites({ gates }: Run, { table }: Parameters, schema: string): string[] {
  const opted = [...gates.suppressions.values()];
  const paused = [...gates.blocks.values()];
  if (opted.length === 0 && paused.length === 0) return [];
  const ctes = [`gates_counted AS (UPDATE ${schema}.store SET gates = gates + 1 FROM verdict WHERE ok)`];
  for (const suppressed of [true, false]) {
    const some = opted.filter((each) => each.suppressed === suppressed);
    if (some.length === 0) continue;
    const rows = table('o', [
      ['tenant', some.map(({ tenant }) => plain(tenant))],
      ['recipient', some.map(({ recipientId }) => plain(recipientId))],
      ['topic', some.map(({ topic }) => plain(topic))],
      ['channel', some.map(({ channel }) => channel)],
      ['by', some.map(({ by }) => plain(by))],
      ['why', some.map(({ why }) => plain(why))],
    ]);
    ctes.push(
      suppressed
        ? `opted_out AS (INSERT INTO ${schema}.suppressions (tenant, recipient, topic, channel, by, why)
            SELECT coalesce(tenant, ''), recipient, topic, channel, coalesce(by, ''), coalesce(why, '') FROM verdict, ${rows} WHERE ok
            ON CONFLICT DO NOTHING)`
        : `opted_in AS (DELETE FROM ${schema}.suppressions s USING verdict, ${rows}
            WHERE ok AND (s.tenant, s.recipient, s.topic, s.channel) = (coalesce(o.tenant, ''), o.recipient, o.topic, o.channel))`,
    );
  }
  for (const blocked of [true, false]) {
    const some = paused.filter((each) => each.blocked === blocked);
    if (some.length === 0) continue;
    const rows = table('b', [
      ['scope', some.map(({ scope }) => plain(scope))],
      ['recheck_ms', some.map(({ recheckMs }) => recheckMs)],
      ['by', some.map(({ by }) => plain(by))],
      ['why', some.map(({ why }) => plain(why))],
    ]);
    ctes.push(
      blocked
        ? `blocked AS (INSERT INTO ${schema}.blocks (scope, recheck_ms, by, why)
            SELECT scope, recheck_ms::bigint, coalesce(by, ''), coalesce(why, '') FROM verdict, ${rows} WHERE ok
            ON CONFLICT (scope) DO UPDATE SET recheck_ms = excluded.recheck_ms, by = excluded.by, why = excluded.why)`
        : `unblocked AS (DELETE FROM ${schema}.blocks USING verdict, ${rows} WHERE ok AND blocks.scope = b.scope)`,
    );
  }
  return ctes;
}

function otherWrites(
  { evidence, claim, strays, refusedMoves }: Run,
  { add, table }: Parameters,
  schema: string,
): string[] {
  const ctes: string[] = [];
  const kept = evidence.kept();
  if (evidence.taken.size > 0) {
    const taken = table('t', [['about', Array.from(evidence.taken, plain)]]);
    ctes.push(
      `evidence_taken AS (DELETE FROM ${schema}.kept USING verdict, ${taken} WHERE ok AND kept.about = t.about)`,
    );
  }
  if (kept.length > 0) ctes.push(keptWrite(kept, table, schema));
  if (claim !== null)
    ctes.push(`claimed AS (INSERT INTO ${schema}.claims (request_id, until, ids)
      SELECT ${add(plain(claim.requestId))}, ${add(claim.untilMs)}::bigint, ${add(JSON.stringify(claim.ids))} FROM verdict WHERE ok)`);
  if (strays.size > 0)
    ctes.push(`strays_seen AS (INSERT INTO ${schema}.strays (id, seen_at)
      SELECT id, ms FROM verdict, clock, ${table('s', [['id', Array.from(strays, plain)]])} WHERE ok ON CONFLICT DO NOTHING)`);
  if (refusedMoves > 0)
    ctes.push(
      `refused AS (INSERT INTO ${schema}.sums (name, n) SELECT 'refused', ${add(refusedMoves)}::bigint FROM verdict WHERE ok)`,
    );
  return ctes;
}

function keptWrite(kept: ReturnType<Run['evidence']['kept']>, table: Parameters['table'], schema: string): string {
  const rows = table('k', [
    ['about', kept.map((each) => plain(keyOfEvidence(each)))],
    ['provider', kept.map(({ provider }) => plain(provider))],
    ['message', kept.map(({ providerMessageId }) => plain(providerMessageId ?? ''))],
    ['kind', kept.map(({ kind }) => kind)],
    ['body', kept.map((each) => JSON.stringify(each))],
  ]);
  return `evidence_kept AS (INSERT INTO ${schema}.kept (about, provider, message, kind, kept_at, body)
    SELECT about, provider, coalesce(message, ''), kind, ms, body FROM verdict, clock, ${rows} WHERE ok ON CONFLICT DO NOTHING)`;
}

/** What cannot be read leaves every index of work, and is counted where it can be seen. */
function setAside({ damaged }: Known, { table }: Parameters, schema: string): string[] {
  const ctes: string[] = [];
  if (damaged.deliveries.size > 0)
    ctes.push(`deliveries_aside AS (UPDATE ${schema}.states s SET work_at = NULL, watch_at = NULL, erase_at = NULL, attention = '${UNREADABLE}'
      FROM ${table('a', [['id', [...damaged.deliveries]]])} WHERE s.id = a.id AND s.attention IS DISTINCT FROM '${UNREADABLE}')`);
  if (damaged.notifications.size > 0)
    ctes.push(`notifications_aside AS (UPDATE ${schema}.notifications n SET work_at = NULL, ended = false, unreadable = true
      FROM ${table('a', [['id', [...damaged.notifications]]])} WHERE n.id = a.id AND NOT n.unreadable)`);
  return ctes;
}
