import type { Lease } from '@sendonce/core';
import { plain } from '../ahead/plain.ts';
import type { Row } from './connection.ts';
import { DELIVERY_COLUMNS, fixedOf, NOTIFICATION_COLUMNS, padded, STORE_COLUMNS, storeColumns } from './questions.ts';
import { CLOCK_MS } from './schema.ts';
import { parameters } from './text.ts';

export interface Statement {
  readonly text: string;
  readonly values: readonly string[];
}

export interface GrantRequest {
  readonly schema: string;
  readonly due: number;
  readonly lateMs: number;
  readonly lease: Lease;
}

/** The column of the store's row that says whether all that came with it was granted. */
export const GRANTED: string = `c${STORE_COLUMNS}`;

/** More than a worker asks for. */
export const MOST_AT_ONCE = 1_000;

/** `note` of the story: the reason, as `bodyOf` writes it before the time of the last write. A quote inside a text is escaped, so no other place fits. */
const REASON = `coalesce(substring(f.body FROM '"reason":("([^"\\\\]|\\\\.)*"),"updatedAt":[0-9]'), 'null')`;

/**
 * One statement that grants the longest due, when all of them wait as they did when they were made or put off; it answers what they
 * were *before*, for the step to decide on. The fence is taken when the rows are locked, so it is above all that they ever carried.
 */
export function grantStatement({ schema, due, lateMs, lease }: GrantRequest): Statement {
  const { values, add } = parameters();
  const request = add(plain(lease.requestId));
  const ctes = [
    `clock AS MATERIALIZED (SELECT ${CLOCK_MS} AS ms)`,
    `gate AS MATERIALIZED (SELECT FROM ${schema}.store WHERE identity = ${schema}.identity() AND reckoned
      AND greatest(quiet_until, reserved_until) <= (SELECT ms FROM clock)
      AND NOT EXISTS (SELECT FROM ${schema}.claims WHERE request_id = ${request}))`,
    // The inner limit is one that the planner knows: without it, it would rather sort all that is due. Rows are locked one by one as the
    // outer limit asks for them, so no more than those.
    `picked AS MATERIALIZED (SELECT * FROM (
        SELECT id, version, notification, provider, state, work_at, watch_at, settled_at, body
        FROM ${schema}.states WHERE EXISTS (SELECT FROM gate) AND work_at <= (SELECT ms FROM clock) - ${add(lateMs)}::bigint
        ORDER BY work_at, id LIMIT ${MOST_AT_ONCE} FOR UPDATE SKIP LOCKED) AS first LIMIT ${add(due)}::integer)`,
    `found AS MATERIALIZED (SELECT p.*, d.tenant, d.type, d.class, d.recipient, d.fixed, d.data,
        (SELECT message FROM ${schema}.contents c WHERE c.delivery = p.id) AS message
      FROM picked p, ${fixedOf(schema, 'p')})`,
    `verdict AS MATERIALIZED (SELECT count(*) > 0 AND count(*) = (SELECT count(*) FROM picked) AND bool_and(
        state IN ('queued', 'retry-scheduled') AND left(fixed, 7) = '{"v":1,' AND body LIKE '{"%}') AS ok FROM found)`,
    `fence AS MATERIALIZED (SELECT nextval('${schema}.fences') AS n FROM verdict)`,
    `granted AS (UPDATE ${schema}.states s SET version = s.version + 1, state = 'processing', attention = NULL,
        work_at = ms + ${add(lease.leaseMs)}::bigint,
        body = left(f.body, -1) || ',"dueAt":' || f.work_at || ',"fence":' || n || ${add(holder(lease))} || ms || '}',
        story = s.story || '[' || ms || ',"processing",' || ${add(JSON.stringify(lease.owner))} || ',' || n || ',' || ${REASON} || E']\\n'
      FROM found f, verdict, fence, clock WHERE ok AND s.id = f.id)`,
    `summed AS (INSERT INTO ${schema}.sums (name, n) SELECT 'd:' || state, n FROM verdict, (
        SELECT state, -count(*) AS n FROM found GROUP BY state UNION ALL SELECT 'processing', count(*) FROM found) AS each WHERE ok)`,
    `claimed AS (INSERT INTO ${schema}.claims (request_id, until, ids)
      SELECT ${request}, ms + ${add(lease.leaseMs)}::bigint, '["' || (SELECT string_agg(id, '","' ORDER BY work_at, id) FROM found) || '"]'
      FROM verdict, clock WHERE ok)`,
  ];
  const store = [...storeColumns(schema, '(SELECT n FROM fence)'), '(SELECT ok FROM verdict)'];
  const parts = [
    padded(`'store'`, store, `${schema}.store`),
    padded(`'d'`, DELIVERY_COLUMNS, '(SELECT * FROM found ORDER BY work_at, id) AS found'),
    padded(
      `'n'`,
      NOTIFICATION_COLUMNS.map((name) => `n.${name}`),
      `(SELECT DISTINCT notification AS id FROM found) AS w JOIN ${schema}.notifications n ON n.id = w.id`,
    ),
  ];
  // For the mark that follows.
  parts.push(
    padded(
      `'suppressed'`,
      ['found.tenant', 'found.recipient', 'o.topic', 'o.channel'],
      `found JOIN ${schema}.suppressions o ON o.tenant = found.tenant AND o.recipient = found.recipient`,
    ),
  );
  return { text: `WITH ${ctes.join(',\n')}\n${parts.join('\nUNION ALL\n')}`, values };
}

function holder({ owner, requestId }: Lease): string {
  return `,"owner":${JSON.stringify(owner)},"requestId":${JSON.stringify(requestId)},"updatedAt":`;
}

/** Puts back what was granted although the step decides otherwise (a row that cannot be read), for the call to begin again. */
export function undoStatement(rows: readonly Row[], { schema, lease }: GrantRequest): Statement {
  const { values, add, table } = parameters();
  const cell = (name: string): string => `c${DELIVERY_COLUMNS.indexOf(name)}`;
  const columns = ['id', 'version', 'state', 'work_at', 'body'].map(
    (name) => [name, rows.map((row) => row[cell(name)] ?? null)] as const,
  );
  const text = `WITH forgotten AS (DELETE FROM ${schema}.claims WHERE request_id = ${add(plain(lease.requestId))}),
    undone AS (UPDATE ${schema}.states s SET version = s.version + 1, state = r.state, work_at = r.work_at::bigint, body = coalesce(r.body, ''),
      attention = CASE WHEN r.state = 'queued' THEN NULL ELSE r.state END, story = regexp_replace(s.story, '[^\\n]*\\n$', '')
    FROM ${table('r', columns)} WHERE s.id = r.id AND s.version = r.version::bigint + 1 RETURNING s.state)
    INSERT INTO ${schema}.sums (name, n)
      SELECT 'd:' || state, count(*) FROM undone GROUP BY state UNION ALL SELECT 'd:processing', -count(*) FROM undone`;
  return { text, values };
}
