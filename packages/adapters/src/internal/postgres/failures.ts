import { SendonceError, type ErrorCode } from '@sendonce/core';

/** PostgreSQL's code of an error (SQLSTATE), wherever the library in between keeps it; null for what did not come from the server. */
export function sqlState(error: unknown): string | null {
  for (let each: unknown = error, depth = 0; typeof each === 'object' && each !== null && depth < 5; depth += 1) {
    const { code, meta, cause } = each as { code?: unknown; meta?: { code?: unknown }; cause?: unknown };
    for (const found of [meta?.code, code]) if (typeof found === 'string' && /^[0-9A-Z]{5}$/.test(found)) return found;
    each = cause;
  }
  return null;
}

/** Another transaction was in the way: nothing was written, and the same again may well succeed. */
const CONFLICTS: ReadonlySet<string> = new Set([
  '23505', // unique_violation: somebody made the same record meanwhile
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
]);

export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(sqlState(error) ?? '');
}

type Told = readonly [ErrorCode, string];
const REFUSED = (advice: string): Told => ['LEDGER_REFUSED', advice];

/** Codes that a user can do something about, and classes of them (their first two characters). */
const TOLD: Readonly<Record<string, Told>> = {
  '3D000': REFUSED('there is no such database; correct its name in the connection, or make it with createdb'),
  '28': REFUSED('the server does not let this user in; correct user and password of the connection'),
  '42501': REFUSED(
    "this user may not do that; run the migration as the owner of the schema, and let the worker's user be that owner, or grant it USAGE on the schema and all rights on its tables and sequences",
  ),
  '25006': [
    'LEDGER_READ_ONLY',
    'it cannot be written: this is a standby, or a session that may only read; connect to the primary',
  ],
  '53100': ['LEDGER_FULL', "the server's disk is full; free some space, and the worker goes on by itself"],
  '53300': [
    'LEDGER_UNAVAILABLE',
    'the server has no connection free; raise max_connections, or make the pools smaller',
  ],
  '57014': [
    'LEDGER_UNAVAILABLE',
    'the statement took longer than statement_timeout lets it; nothing was written, and the call may be repeated',
  ],
  '25P02': [
    'OPTION_INVALID',
    'transaction: an earlier statement failed in it, so it can only be rolled back; begin it again',
  ],
  XX: ['LEDGER_CORRUPT', 'the server reports damaged data; look into its log before anything else is written'],
};
const OTHER: Told = [
  'LEDGER_UNAVAILABLE',
  'no answer, so it is not known whether it was written; the call may be repeated',
];
const NOT_MIGRATED: ReadonlySet<string> = new Set(['3F000', '42P01', '42883', '42703']);

/** Whether a schema, a table, a function or a column is missing. */
export function isNotMigrated(error: unknown): boolean {
  return NOT_MIGRATED.has(sqlState(error) ?? '');
}

/** As messages name the ledger. */
export function whoOf(schema: string): string {
  return `ledger in schema '${schema}'`;
}

/** The error that a user sees for a driver's. `schema` is the ledger's; `who` is what messages begin with. */
export function unavailable(error: unknown, schema: string, who: string = whoOf(schema)): SendonceError {
  if (error instanceof SendonceError) return error;
  const state = sqlState(error);
  if (isNotMigrated(error)) return notMigrated(schema, error);
  const [code, advice] = TOLD[state ?? ''] ?? TOLD[state?.slice(0, 2) ?? ''] ?? OTHER;
  const said = error instanceof Error ? error.message : String(error);
  return new SendonceError(code, `${who}: ${advice} (PostgreSQL says: ${said})`, {
    cause: error,
  });
}

export function notMigrated(schema: string, cause?: unknown): SendonceError {
  return new SendonceError(
    'LEDGER_NOT_MIGRATED',
    `schema '${schema}' has no ledger of this release; run once: npx notify migrate (with --print it prints the SQL for another tool), or from code: await ledger.migrate()`,
    cause === undefined ? {} : { cause },
  );
}
