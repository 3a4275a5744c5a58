import { hashText } from '../kernel/draw.ts';

/** Everything in a run that a fault can be addressed at: the calls of the ports, and the start of a worker. */
export const OPS = [
  'ledger.accept',
  'ledger.seal',
  'ledger.claimNotifications',
  'ledger.add',
  'ledger.claim',
  'ledger.renew',
  'ledger.release',
  'ledger.mark',
  'ledger.settle',
  'ledger.sweep',
  'ledger.reconcile',
  'ledger.record',
  'ledger.cancel',
  'ledger.suppress',
  'ledger.block',
  'ledger.replay',
  'ledger.find',
  'ledger.findNotifications',
  'ledger.list',
  'ledger.listNotifications',
  'ledger.count',
  'ledger.history',
  'queue.enqueue',
  'queue.receive',
  'queue.ack',
  'queue.release',
  'queue.extend',
  'queue.depth',
  'provider.send',
  'provider.lookup',
  'worker.start',
  // At the end, so that the numbers of the others stay.
  'ledger.forget',
] as const;
export type Op = (typeof OPS)[number];

const INDEXES: ReadonlyMap<string, number> = new Map(OPS.map((op, index) => [op, index]));
const HASHES: readonly number[] = OPS.map(hashText);

/** The op's place in `OPS`; -1 for what is none. */
export function opIndex(op: string): number {
  return INDEXES.get(op) ?? -1;
}

export function opHash(index: number): number {
  return HASHES[index] ?? 0;
}
