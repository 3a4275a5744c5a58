import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { manualClock } from '@sendonce/core/memory';
import { subjectOf } from './subject-of.ts';
import type { Suite } from './suite.ts';

const UNIT_MS = 1_000;

/** A file of its own in a temporary folder for each law. Its time is the process's, so nobody has to wait for it. */
export function sqliteSuite(): Omit<Suite, 'from' | 'flags'> {
  return {
    port: 'ledger',
    isOwn: false,
    async make() {
      const folder = await mkdtemp(join(tmpdir(), 'sendonce-verify-'));
      const clock = manualClock(Date.UTC(2026, 0, 1));
      const made = {
        ledger: sqliteLedger({ file: join(folder, 'ledger.db'), now: () => clock.now() }),
        unitMs: UNIT_MS,
        elapse: (ms: number) => clock.advance(ms),
        close: () => rm(folder, { recursive: true, force: true }),
      };
      return subjectOf('ledger', made, 'sqlite:');
    },
    close: () => Promise.resolve(),
  };
}
