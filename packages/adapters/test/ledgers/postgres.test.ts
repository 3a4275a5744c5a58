import { ledgerLaws, ledgerWalks } from '@sendonce/core/conformance';
import { testLaws } from '../../../core/test/conformance/support/laws.ts';
import { amnesicSubject } from './postgres/amnesia.ts';
import { testModel } from './model.ts';
import { clockedSchemas, subjectOn } from './postgres/subject.ts';

const SEEDS = Array.from({ length: Number(process.env['WALKS'] ?? 5) }, (_, i) => i + 1);
const schemas = clockedSchemas();
const needsAmnesia = ({ needs = [] }: (typeof ledgerLaws)[number]): boolean => [needs].flat().includes('amnesia');

testLaws(
  'the PostgreSQL ledger',
  ledgerLaws.filter((law) => !needsAmnesia(law)),
  () => subjectOn(schemas),
);
// It never loses deliveries alone, as a cache does: their rows and the end of their page are written at once, and are lost at once.
const evicts = ({ law }: (typeof ledgerLaws)[number]): boolean => law.includes('evicted');
testLaws(
  'the PostgreSQL ledger',
  ledgerLaws.filter((law) => needsAmnesia(law) && !evicts(law)),
  () => amnesicSubject(schemas),
);
testLaws('the PostgreSQL ledger', ledgerWalks(SEEDS), () => subjectOn(schemas));
testModel('the PostgreSQL ledger', () => subjectOn(schemas));
