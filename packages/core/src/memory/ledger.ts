import type { Ledger } from '../ports/ledger.ts';
import { SendonceError } from '../model/errors.ts';
import { recordLedger } from '../records/ledger.ts';
import { loseMemory } from './ledger/amnesia.ts';
import type { MemoryLedgerControl, MemoryLedgerOptions } from './ledger/options.ts';
import { everyDelivery, reading } from './ledger/reading.ts';
import { ledgerState } from './ledger/state.ts';

export type { AmnesiaReport, AmnesiaRequest, MemoryLedgerControl, MemoryLedgerOptions } from './ledger/options.ts';

export interface MemoryLedger extends Ledger {
  /** For tests and the simulator: what no store offers and every store may do. */
  readonly control: MemoryLedgerControl;
}

/** A ledger in this process: the reference of the port. Nothing survives the process. */
export function memoryLedger(options: MemoryLedgerOptions): MemoryLedger {
  const state = ledgerState(options);
  return {
    capabilities: { shared: false, durable: false, transactions: false, file: null },
    ...recordLedger({
      async transact(work, about) {
        if (about?.join !== undefined)
          throw new SendonceError('OPTION_INVALID', 'the memory ledger cannot join a transaction; accept without one');
        return work(state);
      },
    }),
    ...reading(state),
    async close() {},
    control: {
      loseMemory: (request) => loseMemory(state, request),
      deliveries: () => everyDelivery(state),
    },
  };
}
