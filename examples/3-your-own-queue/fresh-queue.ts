import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { tableQueue } from './table-queue.ts';

// #region fresh
/** What `notify verify` calls once for each law: a queue that nobody else uses, hiding what it hands out for a second only. */
export default function freshQueue() {
  const folder = mkdtempSync(join(tmpdir(), 'table-queue-'));
  const db = new Database(join(folder, 'wakes.db'));
  const close = (): void => {
    db.close();
    rmSync(folder, { recursive: true });
  };
  return { queue: tableQueue(db, { visibilityMs: 1_000 }), unitMs: 200, close };
}
// #endregion
