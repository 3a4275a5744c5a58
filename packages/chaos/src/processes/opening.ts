import type { Ledger, Queue } from '@sendonce/core';

/** What a ledger is opened on, beside its address. */
export interface LedgerTerms {
  /** The clock that all processes of the run share, epoch ms. */
  readonly now: () => number;
  /** How long nothing may move after the ledger forgot something, ms of the run's clock. */
  readonly quarantineMs: number;
}

/** What a queue is opened on, beside its address. */
export interface QueueTerms {
  /** How long a received wake stays hidden, ms. */
  readonly visibilityMs: number;
  /** How long a call may take, ms. */
  readonly timeoutMs: number;
}

/** Opens the ledger that an address names. */
export type OpenLedger = (address: string, terms: LedgerTerms) => Ledger | Promise<Ledger>;

/** Opens the queue that an address names. */
export type OpenQueue = (address: string, terms: QueueTerms) => Queue | Promise<Queue>;
