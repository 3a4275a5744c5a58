import { BOOLEAN_RULE, FUNCTION_RULE, isFields, numberRule, type Rule, type Rules } from '@sendonce/core/internal';
import { checkAdapter, checkTombstoneRetention, invalid, TOMBSTONE_RULE } from '../options.ts';
import { wakesRule } from '../wakes/announcing.ts';
import { queryOf, type PostgresLike, type Query } from './connection.ts';
import type { PostgresWakes } from './wakes.ts';

const DAY_MS = 86_400_000;

export interface PostgresPlace {
  /** A `pg.Pool` or `pg.Client`, or an object whose `query(text, values)` answers rows. `close` leaves it open. */
  readonly client: PostgresLike;
  /** The schema that holds the ledger's tables and nothing else. @defaultValue 'sendonce' */
  readonly schema?: string;
}

export interface PostgresLedgerOptions extends PostgresPlace {
  /** How long a call tries again that others get ahead of. 0 to 600,000 ms. @defaultValue 10_000 */
  readonly lockTimeoutMs?: number;
  /** How long after it settled a delivery keeps its message and its recipient's data. 0 to `retentionMs`, ms. @defaultValue 7 days */
  readonly contentRetentionMs?: number;
  /**
   * How long a notification that is over is remembered: as long as a producer, a queue or an operator may repeat it, a repeat would be
   * sent again after that. At least 1 day, ms. @defaultValue 90 days
   */
  readonly retentionMs?: number;
  /**
   * How long the tombstone of a notification that was forgotten (`notify archive --forget`) is kept: a repeat would be sent again after that. At
   * least `retentionMs`, ms; null: for good. @defaultValue null
   */
  readonly tombstoneRetentionMs?: number | null;
  /**
   * How long nothing moves after another server has taken over, which may have lost the last writes: at least the longest dispatch
   * window plus the queue's visibility, ms. 0 to 1 day. @defaultValue 5 minutes
   */
  readonly quarantineMs?: number;
  /**
   * Has the server plan the usual statements once for each connection, instead of each time: for a client that is a `pg.Pool` or `pg.Client`
   * (it gets them with a name). Not behind a PgBouncer in transaction mode, unless its `max_prepared_statements` is above 0.
   * @defaultValue false
   */
  readonly prepare?: boolean;
  /**
   * Tells workers at once what becomes due, on a connection of their own, beside their polling: for a config without a queue. Producers
   * and workers have to have it alike. @defaultValue null: due work is found by polling alone
   */
  readonly wakes?: PostgresWakes | null;
  /** Told once about a setting that weakens what is promised. @defaultValue process.emitWarning */
  readonly onWarning?: (warning: string) => void;
}

/** The options with their defaults, checked. */
export interface CheckedOptions {
  readonly query: Query;
  /** As it is given, and as messages name it. */
  readonly name: string;
  /** As SQL names it. */
  readonly schema: string;
  readonly lockTimeoutMs: number;
  readonly contentRetentionMs: number;
  readonly retentionMs: number;
  readonly tombstoneRetentionMs: number | null;
  readonly quarantineMs: number;
  readonly wakes: PostgresWakes | null;
  readonly warn: (warning: string) => void;
}

/** Its name is written into statements, so it may only be one that needs no quoting anywhere. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,59}$/;

export const CLIENT_RULE: Rule = {
  must: 'a pg.Pool, a pg.Client or an object with query(text, values)',
  fits: isClient,
  hidden: true,
};

const PLACE_RULES: Rules = {
  client: CLIENT_RULE,
  schema: {
    must: 'the name of a schema: small letters, digits and _, at most 60',
    fits: (value) => typeof value === 'string' && SCHEMA.test(value),
  },
} satisfies Record<keyof PostgresPlace, Rule>;

const RULES: Rules = {
  ...PLACE_RULES,
  lockTimeoutMs: numberRule({ least: 0, most: 600_000 }, ' ms'),
  contentRetentionMs: numberRule({ least: 0, most: Number.MAX_SAFE_INTEGER }, ' ms'),
  retentionMs: numberRule({ least: DAY_MS, most: Number.MAX_SAFE_INTEGER }, ' ms (at least 1 day)'),
  tombstoneRetentionMs: TOMBSTONE_RULE,
  quarantineMs: numberRule({ least: 0, most: DAY_MS }, ' ms'),
  prepare: BOOLEAN_RULE,
  wakes: wakesRule('null or { client: () => new pg.Client(...) }'),
  onWarning: FUNCTION_RULE,
};

/** @throws SendonceError OPTION_INVALID */
export function checkedOptions(options: PostgresLedgerOptions): CheckedOptions {
  checkAdapter('postgresLedger', options, RULES);
  const { lockTimeoutMs = 10_000, contentRetentionMs = 7 * DAY_MS, retentionMs = 90 * DAY_MS } = options;
  const { quarantineMs = 300_000, onWarning = (warning) => process.emitWarning(warning, 'SendonceWarning') } = options;
  const { tombstoneRetentionMs = null, wakes = null } = options;
  checkTombstoneRetention('postgresLedger', retentionMs, tombstoneRetentionMs);
  if (contentRetentionMs > retentionMs)
    invalid(
      `postgresLedger: contentRetentionMs must be at most retentionMs (${retentionMs}), got ${contentRetentionMs}`,
    );
  return {
    ...placeOf('postgresLedger', options, options.prepare),
    lockTimeoutMs,
    contentRetentionMs,
    retentionMs,
    tombstoneRetentionMs,
    quarantineMs,
    wakes,
    warn: onWarning,
  };
}

/** @throws SendonceError OPTION_INVALID */
export function checkedPlace(who: string, place: PostgresPlace): Pick<CheckedOptions, 'query' | 'name' | 'schema'> {
  checkAdapter(who, place, PLACE_RULES);
  return placeOf(who, place);
}

function placeOf(
  who: string,
  { client, schema = 'sendonce' }: PostgresPlace,
  prepares = false,
): Pick<CheckedOptions, 'query' | 'name' | 'schema'> {
  if (!isClient(client)) invalid(`${who}: client is missing: ${CLIENT_RULE.must}`);
  return { query: queryOf(client, { prepares }), name: schema, schema: `"${schema}"` };
}

export function isClient(given: unknown): given is PostgresLike {
  return isFields(given) && typeof given['query'] === 'function';
}
