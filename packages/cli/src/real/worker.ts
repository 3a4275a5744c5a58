import { runWorkerProcess } from '@sendonce/chaos/processes';
import { openLedger } from './ledger-address.ts';

// A worker process of `notify simulate --real`.
await runWorkerProcess(openLedger);
process.exit();
