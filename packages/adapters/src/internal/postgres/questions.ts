import { plain } from '../ahead/plain.ts';
import { parameters } from './text.ts';
import { FORGOTTEN } from '../sqlite/notification-row.ts';
import { CLOCK_MS } from './schema.ts';
import { EXPANDED } from '../ahead/run-notifications.ts';
import { ASKED, type Asked, type Question, type Wanted } from '../ahead/questions.ts';

export interface ReadOptions {
  readonly schema: string;
  /** Deliveries come without their messages and their notifications. */
  readonly withoutMessages: boolean;
}

/**
 * The SQL of an answer: (a, b) of the question with up to four values, from `q(a, b)`. Those by time bring the longest due first: `a` is
 * how late, `b` is how many to pass over and how many to bring.
 */
const ANSWERS: Readonly<Record<Asked, (schema: string, of: Question) => string>> = {
  work: (schema, of) => dueIn(`${schema}.states`, 'work_at', of),
  watch: (schema, of) => dueIn(`${schema}.states`, 'watch_at', of),
  routing: (schema, of) => dueIn(`${schema}.notifications`, 'work_at', of),
  of: (schema) => `SELECT q.a, q.b, d.id FROM q JOIN ${schema}.deliveries d ON d.notification = q.a`,
  some: (schema) => `SELECT q.a, q.b, d.id FROM q, LATERAL (SELECT id FROM ${schema}.deliveries
    WHERE notification = q.a AND id > split_part(q.b, '+', 1) ORDER BY id LIMIT split_part(q.b, '+', 2)::bigint) d`,
  recipient: (schema) => `SELECT q.a, q.b, d.id FROM q JOIN ${schema}.deliveries d ON d.recipient = q.a`,
  message: (schema) => `SELECT q.a, q.b, m.delivery AS id FROM q JOIN ${schema}.messages m ON m.key = q.a`,
  unsettled: (schema) => `SELECT q.a, q.b, s.id FROM q, ${schema}.states s WHERE s.settled_at IS NULL`,
  unfinished: (schema) =>
    `SELECT q.a, q.b, n.id FROM q, ${schema}.notifications n WHERE n.over_at IS NULL AND n.state <> '${FORGOTTEN}'`,
  ended: (schema) =>
    `SELECT q.a, q.b, n.id FROM q, LATERAL (SELECT id FROM ${schema}.notifications WHERE ended ORDER BY id LIMIT q.a::integer) n`,
  page: (schema) =>
    `SELECT q.a, q.b, p.fingerprint AS x, p.content AS y FROM q JOIN ${schema}.pages p ON p.notification = q.a AND p.page = q.b::integer`,
  before: (schema) =>
    `SELECT q.a, q.b, p.pages::text AS x, p.targets::text AS y FROM q, LATERAL (
       SELECT count(*) AS pages, coalesce(sum(targets), 0) AS targets FROM ${schema}.pages
       WHERE notification = q.a AND page < q.b::integer) p`,
  request: (schema) => `SELECT q.a, q.b, c.ids AS x FROM q JOIN ${schema}.claims c ON c.request_id = q.a`,
  kept: (schema) => `SELECT q.a, q.b, k.kept_at::text AS x, k.body AS y FROM q JOIN ${schema}.kept k ON k.about = q.a`,
  suppressed: (schema) =>
    `SELECT q.a, q.b, s.topic AS x, s.channel AS y FROM q JOIN ${schema}.suppressions s ON s.tenant = q.a AND s.recipient = q.b`,
};

/** Numbers stand in the text: with a limit that it does not know, the planner would rather sort everything that is due. */
function dueIn(table: string, column: string, { a, b }: Question): string {
  const [offset = '0', limit = '1'] = b.split('+');
  return `SELECT q.a, q.b, due.id FROM q, LATERAL (
    SELECT id FROM ${table} WHERE ${column} <= (SELECT ms FROM clock) - ${Number(a)} ORDER BY ${column}, id
    LIMIT ${Number(limit)} OFFSET ${Number(offset)}) due`;
}

/** Whoever claims what was accepted begins with its first page: asked for later, that would be a round trip of its own. */
function firstPages(schema: string, answers: string): string {
  return `(SELECT n.id AS a, '0' AS b, p.fingerprint AS x, p.content AS y FROM (SELECT DISTINCT id FROM ${answers}) AS w
    JOIN ${schema}.notifications n ON n.id = w.id AND n.sealed
    JOIN ${schema}.pages p ON p.notification = n.id AND p.page = 0 AND p.content <> '${EXPANDED}') AS first`;
}

/** Every row has these; what a kind of row does not use is null. `kind` says which. */
export const COLUMNS: readonly string[] = Array.from({ length: 15 }, (_, i) => `c${i}`);

/**
 * One statement for all that is wanted. Its rows: `store` (always one), `d` a delivery, `n` a notification, and for each question its
 * kind with (a, b) and the values.
 */
export function readStatement(
  { deliveries, notifications, questions }: Wanted,
  { schema, withoutMessages }: ReadOptions,
): { readonly text: string; readonly values: readonly string[] } {
  const { values, table } = parameters();
  const ctes = [`clock AS MATERIALIZED (SELECT ${CLOCK_MS} AS ms)`];
  const parts = [storeRow(schema)];
  const deliveryIds: string[] = [];
  const notificationIds: string[] = [];

  if (deliveries.size > 0) deliveryIds.push(`SELECT id FROM ${table('w', [['id', Array.from(deliveries, plain)]])}`);
  if (notifications.size > 0)
    notificationIds.push(`SELECT id FROM ${table('w', [['id', Array.from(notifications, plain)]])}`);
  for (const [i, group] of grouped(questions).entries()) {
    const { kind } = group[0] as Question;
    const asked = table('q', [
      ['a', group.map(({ a }) => a)],
      ['b', group.map(({ b }) => b)],
    ]);
    const answers = `answers${i}`;
    ctes.push(
      `${answers} AS MATERIALIZED (WITH q AS (SELECT coalesce(a, '') AS a, coalesce(b, '') AS b FROM ${asked}) ${ANSWERS[kind](schema, group[0] as Question)})`,
    );
    const isValues = ASKED[kind] === 'values';
    const answer = kind === 'request' ? ['x'] : isValues ? ['x', 'y'] : ['id'];
    parts.push(padded(`'${kind}'`, ['a', 'b', ...answer], answers));
    if (kind === 'routing') parts.push(padded(`'page'`, ['a', 'b', 'x', 'y'], firstPages(schema, answers)));
    if (ASKED[kind] === 'deliveries') deliveryIds.push(`SELECT DISTINCT id FROM ${answers}`);
    if (ASKED[kind] === 'notifications') notificationIds.push(`SELECT DISTINCT id FROM ${answers}`);
  }

  if (deliveryIds.length > 0) {
    const message = withoutMessages ? `''` : `(SELECT message FROM ${schema}.contents c WHERE c.delivery = s.id)`;
    ctes.push(`found AS MATERIALIZED (
      SELECT s.id, s.version, s.notification, d.tenant, d.type, d.class, s.provider, s.state, s.work_at, s.watch_at, s.settled_at,
        d.fixed, s.body, ${message} AS message, d.data
      FROM (${deliveryIds.join(' UNION ')}) AS w JOIN ${schema}.states s ON s.id = w.id, ${fixedOf(schema, 's')})`);
    parts.push(padded(`'d'`, DELIVERY_COLUMNS, 'found'));
    if (!withoutMessages) notificationIds.push('SELECT DISTINCT notification AS id FROM found');
  }
  if (notificationIds.length > 0)
    parts.push(
      padded(
        `'n'`,
        NOTIFICATION_COLUMNS.map((name) => `n.${name}`),
        `(${notificationIds.join(' UNION ')}) AS w JOIN ${schema}.notifications n ON n.id = w.id`,
      ),
    );
  return { text: `WITH ${ctes.join(',\n')}\n${parts.join('\nUNION ALL\n')}`, values };
}

/** The other half of each delivery, one by one: how few they are the planner does not know, and would rather read the whole table. */
export function fixedOf(schema: string, of: string): string {
  return `LATERAL (SELECT tenant, type, class, recipient, fixed, data FROM ${schema}.deliveries
        WHERE notification = ${of}.notification AND id = ${of}.id LIMIT 1) AS d`;
}

/** In the order of `c0`, `c1`, ... */
export const DELIVERY_COLUMNS: readonly string[] =
  'id version notification tenant type class provider state work_at watch_at settled_at fixed body message data'.split(
    ' ',
  );
export const NOTIFICATION_COLUMNS: readonly string[] =
  'id version state sealed recipients open work_at body data'.split(' ');

function storeRow(schema: string): string {
  // Taken after the snapshot of this statement, so it is above every fence that the statement can see.
  return padded(`'store'`, storeColumns(schema, `nextval('${schema}.fences')`), `${schema}.store`);
}

/** How many there are. */
export const STORE_COLUMNS = 13;

/** The cells of the store's row, in the order in which `foundIn` reads them. */
export function storeColumns(schema: string, fence: string): readonly string[] {
  return [
    'key',
    'version',
    'identity',
    `${schema}.identity()`,
    'changed_at',
    'quiet_until',
    'reckoned',
    'gates',
    `EXISTS (SELECT FROM ${schema}.suppressions)`,
    `EXISTS (SELECT FROM ${schema}.kept)`,
    `(SELECT string_agg(scope || E'\\x1e' || recheck_ms, E'\\x1e') FROM ${schema}.blocks)`,
    '(SELECT ms FROM clock)',
    fence,
  ];
}

/** One part of an answer: rows of a kind. */
export function padded(kind: string, columns: readonly string[], from: string): string {
  const cells = COLUMNS.map((name, i) => `${columns[i] === undefined ? 'NULL' : `(${columns[i]})`}::text AS ${name}`);
  return `SELECT ${kind} AS kind, ${cells.join(', ')} FROM ${from}`;
}

/** Questions that one part can answer together: those of a kind, but each scan by time for itself. */
function grouped(questions: Iterable<Question>): readonly (readonly Question[])[] {
  const groups = new Map<string, Question[]>();
  for (const question of questions) {
    const { kind, a, b } = question;
    const isScan = kind === 'work' || kind === 'watch' || kind === 'routing';
    const name = isScan ? `${kind} ${a} ${b}` : kind;
    groups.set(name, [...(groups.get(name) ?? []), question]);
  }
  return [...groups.values()];
}
