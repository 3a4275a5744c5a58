import { ledgerLaws, ledgerWalks } from '@sendonce/core/conformance';
import { testLaws } from '../../../core/test/conformance/support/laws.ts';
import { testModel } from './model.ts';
import { amnesicSubject, clockedLedgers, subjectOn } from './redis/subject.ts';

const SEEDS = Array.from({ length: Number(process.env['WALKS'] ?? 5) }, (_, i) => i + 1);
const ledgers = clockedLedgers();
const needsAmnesia = ({ needs = [] }: (typeof ledgerLaws)[number]): boolean => [needs].flat().includes('amnesia');

testLaws(
  'the Redis ledger',
  ledgerLaws.filter((law) => !needsAmnesia(law)),
  () => subjectOn(ledgers),
);
// It never loses deliveries alone, as a cache does: their records and the end of their page are one script, and are lost at once.
const evicts = ({ law }: (typeof ledgerLaws)[number]): boolean => law.includes('evicted');
testLaws(
  'the Redis ledger',
  ledgerLaws.filter((law) => needsAmnesia(law) && !evicts(law)),
  () => amnesicSubject(ledgers),
);
testLaws('the Redis ledger', ledgerWalks(SEEDS), () => subjectOn(ledgers));
testModel('the Redis ledger', () => subjectOn(ledgers));
