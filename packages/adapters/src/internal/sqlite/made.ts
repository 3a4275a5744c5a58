import { SendonceError } from '@sendonce/core';
import type { Connection } from './database.ts';

/** What a migration makes. */
interface Made {
  readonly kind: 'TABLE' | 'INDEX' | 'VIEW';
  readonly name: string;
  readonly sql: string;
}

/** All that these migrations make, in their order; what a later one makes anew, as it is then. */
function madeBy(migrations: readonly string[]): readonly Made[] {
  const made = new Map<string, Made>();
  for (const [sql, kind = '', name = ''] of migrations.join('').matchAll(/CREATE (TABLE|INDEX|VIEW) (\w+)[^;]*/g)) {
    // In the later place: it may be made of what came in between.
    made.delete(name);
    made.set(name, { kind: kind as Made['kind'], name, sql });
  }
  return [...made.values()];
}

/**
 * What was made in a file and is not there any more, because another program dropped it: indexes and views, which can be made anew.
 * `version`: how many of the migrations this file has seen.
 * @throws SendonceError LEDGER_CORRUPT for a table, which was lost with what was in it.
 */
export function dropped(
  connection: Connection,
  {
    file,
    version,
    migrations,
  }: { readonly file: string; readonly version: number; readonly migrations: readonly string[] },
): readonly Made[] {
  const ours = new Set(madeBy(migrations).map(({ name }) => name));
  const rows = connection.all<{ name: string }>('SELECT name FROM sqlite_schema');
  const there = new Set(rows.map(({ name }) => name).filter((name) => ours.has(name)));
  const isUnnumbered = version === 0 && there.size > 0;
  // Where there is anything of ours, the file has seen something, whatever has become of its number.
  const missing = madeBy(migrations.slice(0, isUnnumbered ? 1 : version)).filter(({ name }) => !there.has(name));
  const tables = missing.filter(({ kind }) => kind === 'TABLE').map(({ name }) => name);
  const lost = isUnnumbered && tables.length === 0 ? ['the row of sendonce_schema'] : tables;
  if (lost.length === 0) return missing;
  throw new SendonceError(
    'LEDGER_CORRUPT',
    `'${file}' has lost a part of the ledger (${lost.join(', ')}), which another program dropped with what was in it. Nothing was changed. ` +
      'Stop what uses this file, keep a copy of it, put a backup in its place, and say so with markRestored before a worker starts',
  );
}
