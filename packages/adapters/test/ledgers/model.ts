import type { LedgerSubject } from '@sendonce/core/conformance';
import { test } from 'vitest';
import { checkAgainstReference } from '../../../chaos/src/model/index.ts';

/** More of them, and others: MODEL_RUNS=500 MODEL_SEED=7 npx vitest run packages/adapters/test/ledgers */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 15);
const SEED = Number(process.env['MODEL_SEED'] ?? 1);

export function testModel(name: string, makeSubject: () => LedgerSubject | Promise<LedgerSubject>): void {
  test(
    `${name} answers random histories of calls as the reference does (seed ${SEED})`,
    { timeout: 30_000 + RUNS * 2_000 },
    async () => {
      await checkAgainstReference(makeSubject, { runs: RUNS, seed: SEED });
    },
  );
}
