import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerCapabilities, ledgerLaws, ledgerWalks, type LedgerSubject } from '@sendonce/core/conformance';
import { manualClock } from '@sendonce/core/memory';
import { testLaws } from '../../../core/test/conformance/support/laws.ts';
import { sqliteLedger, type SqliteLedgerOptions } from '../../src/ledgers/sqlite.ts';
import { testModel } from './model.ts';

const SEEDS = Array.from({ length: Number(process.env['WALKS'] ?? 20) }, (_, i) => i + 1);

function subject(options: SqliteLedgerOptions = {}): LedgerSubject {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-'));
  const clock = manualClock(1_700_000_000_000, { drain: async () => {} });
  const ledger = sqliteLedger({
    file: join(folder, 'ledger.db'),
    now: () => clock.now(),
    synchronous: 'normal',
    ...options,
  });
  return {
    ledger,
    loseMemory: null,
    capabilities: ledgerCapabilities({ ledger, loseMemory: null }),
    unitMs: 1_000,
    elapse: (ms) => clock.advance(ms),
    async close() {
      await ledger.close();
      rmSync(folder, { recursive: true });
    },
  };
}

testLaws('the SQLite ledger', ledgerLaws, () => subject());
testLaws('the SQLite ledger', ledgerWalks(SEEDS), () => subject());
testModel('the SQLite ledger', () => subject());
