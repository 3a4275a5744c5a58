import { ledgerLaws, ledgerWalks } from '@sendonce/core/conformance';
import { testLaws } from '../../../core/test/conformance/support/laws.ts';
import { subjects } from './postgres/subject.ts';

const SEEDS = Array.from({ length: Number(process.env['WALKS'] ?? 5) }, (_, i) => i + 1);
const subject = subjects();

testLaws('the PostgreSQL ledger', ledgerLaws, () => subject());
testLaws('the PostgreSQL ledger', ledgerWalks(SEEDS), () => subject());
