import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { FUNCTION_RULE, isFields, numberRule, oneOfRule, type Rule, type Rules } from '@sendonce/core/internal';
import { checkAdapter, checkTombstoneRetention, invalid, TOMBSTONE_RULE } from '../options.ts';
import type { SqliteDatabaseLike } from './database.ts';
import { openDatabase } from './open-database.ts';
import type { SessionOptions } from './session.ts';

const DAY_MS = 86_400_000;

export interface SqliteLedgerOptions {
  /**
   * The file, made when it is missing, opened with node:sqlite, else with the `libsql` package. A relative path is one of the folder that
   * is current now. Either this or `database`.
   */
  readonly file?: string;
  /** An open database of better-sqlite3, libsql or node:sqlite, for this ledger alone. `close` leaves it open. */
  readonly database?: SqliteDatabaseLike;
  /**
   * `full`: a committed write survives a loss of power. `normal`: it survives the death of this process, but the last ones before a loss
   * of power may be gone; a mark among them means a message that is sent again without being declared. @defaultValue 'full'
   */
  readonly synchronous?: 'full' | 'normal';
  /** How long another program may keep the file locked before a call gives up. 0 to 600,000 ms. @defaultValue 10_000 */
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
  /** Epoch ms; all processes on one file have to agree. @defaultValue the clock of this host */
  readonly now?: () => number;
}

/** The options with their defaults, checked. */
export interface CheckedOptions extends SessionOptions {
  /** As messages name it. */
  readonly file: string;
  /** The whole path; null for a given database. */
  readonly path: string | null;
  /** With links followed, as SQLite names it. */
  realPath(): string | null;
  readonly isOurs: boolean;
  readonly lockTimeoutMs: number;
  readonly synchronous: 'full' | 'normal';
  connect(): SqliteDatabaseLike;
}

const PATH_RULE: Rule = { must: 'a path', fits: (value) => typeof value === 'string' && value !== '' };
/** Where the tables of others beside the ledger are. */
export const OPEN_DATABASE_RULE: Rule = {
  must: 'an open database of better-sqlite3, libsql or node:sqlite',
  fits: isDatabase,
  hidden: true,
};
const DATABASE_RULE: Rule = { must: 'an open database with exec and prepare', fits: isDatabase };

const RULES: Rules = {
  file: PATH_RULE,
  database: DATABASE_RULE,
  synchronous: oneOfRule(['full', 'normal']),
  lockTimeoutMs: numberRule({ least: 0, most: 600_000 }, ' ms'),
  contentRetentionMs: numberRule({ least: 0, most: Number.MAX_SAFE_INTEGER }, ' ms'),
  retentionMs: numberRule({ least: DAY_MS, most: Number.MAX_SAFE_INTEGER }, ' ms (at least 1 day)'),
  tombstoneRetentionMs: TOMBSTONE_RULE,
  now: FUNCTION_RULE,
} satisfies Record<keyof SqliteLedgerOptions, Rule>;

/** @throws SendonceError OPTION_INVALID */
export function checkedOptions(options: SqliteLedgerOptions): CheckedOptions {
  checkAdapter('sqliteLedger', options, RULES);
  const { file, database, synchronous = 'full', now = Date.now } = options;
  const { lockTimeoutMs = 10_000, contentRetentionMs = 7 * DAY_MS, retentionMs = 90 * DAY_MS } = options;
  if ((file === undefined) === (database === undefined)) invalid('sqliteLedger: give either file or database');
  const { tombstoneRetentionMs = null } = options;
  checkTombstoneRetention('sqliteLedger', retentionMs, tombstoneRetentionMs);
  if (contentRetentionMs > retentionMs)
    invalid(`sqliteLedger: contentRetentionMs must be at most retentionMs (${retentionMs}), got ${contentRetentionMs}`);
  return {
    file: file ?? 'the given database',
    // Of the folder in which it was made, whatever becomes the current one later.
    path: file === undefined ? null : resolve(file),
    realPath: () => (file === undefined ? null : existsSync(file) ? realpathSync(file) : resolve(file)),
    isOurs: database === undefined,
    connect: () => database ?? openDatabase(resolve(file as string)),
    synchronous,
    lockTimeoutMs,
    contentRetentionMs,
    retentionMs,
    tombstoneRetentionMs,
    now,
  };
}

export function isDatabase(given: unknown): given is SqliteDatabaseLike {
  return isFields(given) && typeof given['exec'] === 'function' && typeof given['prepare'] === 'function';
}
