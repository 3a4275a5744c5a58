import { ledgerLaws, ledgerWalks } from '../../src/conformance/index.ts';
import { ledgerSubject } from '../conformance/support/ledger-subject.ts';
import { testLaws } from '../conformance/support/laws.ts';

// More of them: WALKS=5000 npx vitest run packages/core/test/memory/ledger.test.ts
const SEEDS = Array.from({ length: Number(process.env['WALKS'] ?? 60) }, (_, i) => i + 1);
const COMPACT = { compactAfterMs: 0, journal: false, liveLimit: 0 } as const;

testLaws('the memory ledger', ledgerLaws, () => ledgerSubject());
testLaws('the memory ledger, compact', ledgerLaws, () => ledgerSubject(COMPACT));
testLaws('the memory ledger', ledgerWalks(SEEDS), () => ledgerSubject());
testLaws('the memory ledger, compact', ledgerWalks(SEEDS), () => ledgerSubject(COMPACT));
