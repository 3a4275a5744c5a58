import { callOf, type FaultKind } from './kind.ts';
import { errorFault, networkFaults } from './network.ts';
import type { Op } from './ops.ts';
import { asItSays, atOnce } from './lengths.ts';
import { away, beyondLease } from './ranges.ts';

/** Calls that nobody makes in a run have no faults: reading a story, pausing a provider. */
const READS: readonly Op[] = ['ledger.find', 'ledger.findNotifications', 'ledger.list', 'ledger.count'];
const PRODUCING: readonly Op[] = ['ledger.accept', 'ledger.seal'];
const WORKING: readonly Op[] = [
  'ledger.claimNotifications',
  'ledger.add',
  'ledger.claim',
  'ledger.renew',
  'ledger.release',
  'ledger.mark',
  'ledger.settle',
  'ledger.sweep',
  'ledger.reconcile',
];
const ADMINISTERING: readonly Op[] = ['ledger.record', 'ledger.cancel', 'ledger.suppress', 'ledger.replay'];
const WRITES: readonly Op[] = [...PRODUCING, ...WORKING, ...ADMINISTERING];
const ALL: readonly Op[] = [...WRITES, ...READS];
const WAY = { component: 'ledger', ops: ALL, peer: 'the ledger' } as const;
const base = { component: 'ledger', amount: null, lastsMs: asItSays } as const;

/** The store itself keeps its laws; what breaks is the way to it, its process, and (only here) its memory. */
export const LEDGER_FAULTS: readonly FaultKind[] = [
  ...networkFaults(WAY),
  errorFault(WAY, 'serialization failure: could not serialize access'),
  {
    ...base,
    do: 'late',
    ops: WRITES,
    phases: ['D'],
    ms: beyondLease,
    means: 'the caller gives up at its own time limit, and the request is applied that much later all the same',
    strike: (strike) => {
      const call = callOf(strike);
      call.extraRequestMs += strike.ms;
      call.givesUpAfterMs = strike.hands.knobs.ledgerTimeoutMs;
    },
  },
  {
    ...base,
    do: 'stale',
    ops: [...READS, 'ledger.claim', 'ledger.claimNotifications', 'ledger.sweep'],
    phases: ['S'],
    ms: beyondLease,
    means: 'the answer is that old when it arrives',
    strike: (strike) => void (callOf(strike).extraReplyMs += strike.ms),
  },
  {
    ...base,
    do: 'partition',
    ops: ALL,
    phases: ['B', 'A'],
    ms: away,
    means: 'the calling process is cut off from the ledger: both ways (B), or only replies are lost (A)',
    strike: (strike) => cutOff(strike, 'one'),
  },
  {
    ...base,
    do: 'partition-all',
    ops: ALL,
    phases: ['B', 'A'],
    ms: away,
    means: 'every process is cut off from the ledger: both ways (B), or only replies are lost (A)',
    strike: (strike) => cutOff(strike, 'all'),
  },
  {
    ...base,
    do: 'restart',
    ops: ALL,
    phases: ['B', 'A'],
    ms: away,
    means:
      'the store restarts: this call’s reply is lost, and until it is back nobody can connect; nothing is forgotten',
    strike: (strike) => {
      strike.hands.ledgerDown(strike.ms);
      if (strike.fault.phase === 'A') callOf(strike).replyLost = true;
    },
  },
  {
    ...base,
    do: 'amnesia',
    ops: WORKING,
    phases: ['A'],
    ms: ({ knobs }) => ({ least: 0, preset: 1_000, most: knobs.leaseMs }),
    // Its length is how much is forgotten.
    lastsMs: atOnce,
    means:
      'the store fails over to a replica that lacks the writes of the last ms, though it had acknowledged them; what a producer was told is kept',
    strike: ({ hands, ms }) => hands.loseMemory(ms, []),
  },
  {
    ...base,
    do: 'evicted',
    // What was settled before nobody can miss any more: it is not due, and its wake is gone.
    ops: WORKING.filter((op) => op !== 'ledger.settle'),
    phases: ['A'],
    ms: null,
    lastsMs: atOnce,
    means: 'the store evicts the delivery’s record while it is not settled, as a cache would that is short of memory',
    strike: ({ hands, deliveryId }) => hands.loseMemory(0, [deliveryId]),
  },
];

function cutOff(strike: Parameters<FaultKind['strike']>[0], whom: 'one' | 'all'): void {
  const { hands, process, fault, ms } = strike;
  const ways = fault.phase === 'B' ? 'both' : 'replies';
  hands.cutOff(whom === 'one' ? process : null, 'ledger', ways, ms);
  if (ways === 'replies') callOf(strike).replyLost = true;
}
