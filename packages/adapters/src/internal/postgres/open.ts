import { SendonceError } from '@sendonce/core';
import { notMigrated, unavailable } from './failures.ts';
import type { CheckedOptions } from './options.ts';
import { SCHEMA_VERSION } from './schema.ts';

/**
 * Looks once whether the schema is the one of this release, and whether the server promises what it should; answers the ledger's key.
 * @throws SendonceError LEDGER_NOT_MIGRATED, LEDGER_NEWER, LEDGER_REFUSED, LEDGER_UNAVAILABLE
 */
export async function openSchema({ query, schema, name, warn }: CheckedOptions): Promise<string> {
  let version: number;
  let durable: string;
  let key: string;
  try {
    const [row] = await query(
      `SELECT (SELECT max(version) FROM ${schema}.migrations)::text AS version, current_setting('synchronous_commit') AS durable`,
    );
    version = Number(row?.['version'] ?? 0);
    durable = row?.['durable'] ?? '';
    const [store] = version === 0 ? [] : await query(`SELECT key FROM ${schema}.store`);
    key = store?.['key'] ?? '';
  } catch (error) {
    throw unavailable(error, name);
  }
  if (version < SCHEMA_VERSION) throw notMigrated(name);
  if (version > SCHEMA_VERSION)
    throw new SendonceError(
      'LEDGER_NEWER',
      `schema '${name}' has version ${version}, and this release knows up to ${SCHEMA_VERSION}; use the release that wrote it, or a later one`,
    );
  if (durable === 'off')
    warn(
      `synchronous_commit is off: the last writes before a crash of the PostgreSQL server may be gone, and a mark among them means a message that is sent again without being declared. Run: ALTER ROLE current_user SET synchronous_commit = on`,
    );
  return key;
}
