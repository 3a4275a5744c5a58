import { sqliteLedger } from '../../src/ledgers/sqlite.ts';
import { testProcesses } from './processes/suite.ts';
import { temporaryFile } from './support.ts';

testProcesses({
  make: () => ({ kind: 'sqlite', file: temporaryFile() }),
  openLedger: (place) => sqliteLedger({ file: place.kind === 'sqlite' ? place.file : '' }),
});
