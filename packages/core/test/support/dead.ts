import type { Ledger } from '../../src/index.ts';

/** A ledger that nobody may ask. */
export const dead: Ledger = new Proxy({} as Ledger, {
  get: (_target, property) => () => Promise.reject(new Error(`the ledger was asked to ${String(property)}`)),
});
