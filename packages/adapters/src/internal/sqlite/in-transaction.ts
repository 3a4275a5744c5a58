import type { SqliteDatabaseLike } from './database.ts';
import { isInsideTransaction } from './failures.ts';

/** No driver tells in the same way, and SQLite has no function for it, but it begins no transaction inside another. */
export function isInTransaction(database: SqliteDatabaseLike): boolean {
  try {
    database.exec('BEGIN');
  } catch (error) {
    if (isInsideTransaction(error)) return true;
    throw error;
  }
  database.exec('ROLLBACK');
  return false;
}
