import type { Ledger } from '../ports/ledger.ts';
import { delivering } from './ledger/delivering.ts';
import { fanOut } from './ledger/fan-out.ts';
import { operators } from './ledger/operators.ts';
import type { MemoryLedgerControl, MemoryLedgerOptions } from './ledger/options.ts';
import { producing } from './ledger/producing.ts';
import { everyDelivery, reading } from './ledger/reading.ts';
import { loseMemory } from './ledger/reckoning.ts';
import { ledgerState } from './ledger/state.ts';
import { unknown } from './ledger/unknown.ts';

export type { AmnesiaReport, AmnesiaRequest, MemoryLedgerControl, MemoryLedgerOptions } from './ledger/options.ts';

export interface MemoryLedger extends Ledger {
  /** For tests and the simulator: what no store offers and every store may do. */
  readonly control: MemoryLedgerControl;
}

/** A ledger in this process: the reference of the port. Nothing survives the process. */
export function memoryLedger(options: MemoryLedgerOptions): MemoryLedger {
  const state = ledgerState(options);
  return {
    capabilities: { shared: false, durable: false, transactions: false },
    ...producing(state),
    ...fanOut(state),
    ...delivering(state),
    ...unknown(state),
    ...operators(state),
    ...reading(state),
    async close() {},
    control: {
      loseMemory: (request) => loseMemory(state, request),
      deliveries: () => everyDelivery(state),
    },
  };
}
