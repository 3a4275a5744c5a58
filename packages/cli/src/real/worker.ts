import { runWorkerProcess } from '@sendonce/chaos/processes';
import { openLedger } from './ledger-address.ts';
import { openQueue } from './queue-address.ts';

// A worker process of `notify simulate --real`.
await runWorkerProcess({ openLedger, openQueue });
process.exit();
