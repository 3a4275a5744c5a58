import { createRequire } from 'node:module';
import { installed } from '../installed.ts';
import type { SqliteDatabaseLike } from './database.ts';

type DatabaseClass = new (file: string) => SqliteDatabaseLike;

/**
 * Opens a file with `node:sqlite`, where this Node has it (22.13 and later), else with `libsql`: both come without a compiler.
 * @throws SendonceError DRIVER_MISSING when there is neither.
 */
export function openDatabase(file: string): SqliteDatabaseLike {
  const Database =
    builtIn() ??
    installed(
      () => load('libsql') as DatabaseClass,
      `no SQLite in Node ${process.versions.node} and no 'libsql' package to open '${file}'; run: npm install libsql`,
    );
  return new Database(file);
}

const load = createRequire(import.meta.url);

function builtIn(): DatabaseClass | null {
  // Asking for the module where it is still behind a flag throws; loading it where it is new prints a warning, which is Node's to give.
  if (process.getBuiltinModule('node:sqlite') === undefined) return null;
  return (load('node:sqlite') as { DatabaseSync: DatabaseClass }).DatabaseSync;
}
