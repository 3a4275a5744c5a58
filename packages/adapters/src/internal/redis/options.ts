import { FUNCTION_RULE, isFields, numberRule, type Rule, type Rules } from '@sendonce/core/internal';
import { checkAdapter, checkTombstoneRetention, invalid, TOMBSTONE_RULE } from '../options.ts';
import { wakesRule } from '../wakes/announcing.ts';
import { CLIENT_RULE, type RedisClientLike } from './client.ts';
import type { RedisWakes } from './wakes.ts';

const DAY_MS = 86_400_000;

/** How many replicas have to confirm, and how long they are waited for. */
export interface RedisWait {
  /** 1 to 10. */
  readonly replicas: number;
  /** 1 to 60,000 ms. */
  readonly timeoutMs: number;
}

export interface RedisLedgerOptions {
  /** A client of `ioredis` (a single server, Sentinel, or Cluster). `close` leaves it open. */
  readonly client: RedisClientLike;
  /** Which ledger: letters, digits, `_`, `.` and `-`, 1 to 60. Its keys begin with it. @defaultValue 'sendonce' */
  readonly name?: string;
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
   * How long nothing moves after Redis has restarted, failed over or lost its data: at least the longest dispatch window plus the queue's
   * visibility, ms. 0 to 1 day. @defaultValue 5 minutes
   */
  readonly quarantineMs?: number;
  /**
   * Replicas that have to confirm what a producer or an operator is told (a publish, a cancel, an opt-out), and each mark, before it
   * counts. @defaultValue none are waited for
   */
  readonly wait?: RedisWait;
  /**
   * Tells workers at once what becomes due, on a connection of their own, beside their polling: for a config without a queue. Producers
   * and workers have to have it alike. @defaultValue null: due work is found by polling alone
   */
  readonly wakes?: RedisWakes | null;
  /** Told once about a setting that weakens what is promised. @defaultValue process.emitWarning */
  readonly onWarning?: (warning: string) => void;
}

/** The options with their defaults, checked. */
export interface CheckedOptions {
  readonly client: RedisClientLike;
  readonly name: string;
  readonly lockTimeoutMs: number;
  readonly contentRetentionMs: number;
  readonly retentionMs: number;
  readonly tombstoneRetentionMs: number | null;
  readonly quarantineMs: number;
  readonly wait: RedisWait | null;
  readonly wakes: RedisWakes | null;
  readonly warn: (warning: string) => void;
}

export const NAME_RULE: Rule = {
  must: "a text of 1 to 60 letters, digits, '_', '.' or '-'",
  fits: (value) => typeof value === 'string' && /^[\w.-]{1,60}$/.test(value),
};

const RULES: Rules = {
  client: CLIENT_RULE,
  name: NAME_RULE,
  lockTimeoutMs: numberRule({ least: 0, most: 600_000 }, ' ms'),
  contentRetentionMs: numberRule({ least: 0, most: Number.MAX_SAFE_INTEGER, whole: true }, ' ms'),
  retentionMs: numberRule({ least: DAY_MS, most: Number.MAX_SAFE_INTEGER, whole: true }, ' ms (at least 1 day)'),
  tombstoneRetentionMs: TOMBSTONE_RULE,
  quarantineMs: numberRule({ least: 0, most: DAY_MS, whole: true }, ' ms'),
  wait: { must: '{ replicas: 1 to 10, timeoutMs: 1 to 60000 }', fits: isWait },
  wakes: wakesRule('null or { client: () => client.duplicate() }'),
  onWarning: FUNCTION_RULE,
} satisfies Record<keyof RedisLedgerOptions, Rule>;

/** @throws SendonceError OPTION_INVALID */
export function checkedOptions(options: RedisLedgerOptions): CheckedOptions {
  checkAdapter('redisLedger', options, RULES);
  const { client, name = 'sendonce', lockTimeoutMs = 10_000, wait = null } = options;
  const { contentRetentionMs = 7 * DAY_MS, retentionMs = 90 * DAY_MS, quarantineMs = 300_000 } = options;
  const { onWarning = (warning) => process.emitWarning(warning, 'SendonceWarning') } = options;
  const { tombstoneRetentionMs = null, wakes = null } = options;
  checkTombstoneRetention('redisLedger', retentionMs, tombstoneRetentionMs);
  if (contentRetentionMs > retentionMs)
    invalid(`redisLedger: contentRetentionMs must be at most retentionMs (${retentionMs}), got ${contentRetentionMs}`);
  return {
    ...{ client, name, lockTimeoutMs, contentRetentionMs, retentionMs, tombstoneRetentionMs, quarantineMs, wait },
    wakes,
    warn: onWarning,
  };
}

function isWait(value: unknown): boolean {
  if (!isFields(value)) return false;
  const isWithin = (given: unknown, most: number): boolean =>
    Number.isInteger(given) && Number(given) >= 1 && Number(given) <= most;
  return isWithin(value['replicas'], 10) && isWithin(value['timeoutMs'], 60_000);
}
