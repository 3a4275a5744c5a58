import { firstItems, itemCount } from './carried.ts';
import { callOf, type FaultKind } from './kind.ts';
import { asItSays, atOnce, BLINK_MS, REPLACE_MS } from './lengths.ts';
import type { Op } from './ops.ts';
import { beyondLease, count, grace, inTransit, untilBack } from './ranges.ts';

/** The calls that workers and routers make. */
export const WORKER_OPS: readonly Op[] = [
  'ledger.claimNotifications',
  'ledger.seal',
  'ledger.add',
  'ledger.claim',
  'ledger.renew',
  'ledger.release',
  'ledger.mark',
  'ledger.settle',
  'ledger.sweep',
  'ledger.reconcile',
  'queue.receive',
  'queue.enqueue',
  'queue.ack',
  'queue.release',
  'provider.send',
  'provider.lookup',
];
/** Where a batch may be cut in the middle. */
const BATCHES: readonly Op[] = [
  'ledger.mark',
  'ledger.settle',
  'ledger.renew',
  'ledger.release',
  'ledger.reconcile',
  'queue.enqueue',
  'queue.ack',
  'queue.release',
];
const START: readonly Op[] = ['worker.start'];
const base = {
  component: 'worker',
  ops: WORKER_OPS,
  phases: ['B', 'A'],
  ms: null,
  amount: null,
  lastsMs: atOnce,
} as const;

/** What becomes of the process that makes the call. */
export const WORKER_FAULTS: readonly FaultKind[] = [
  {
    ...base,
    do: 'kill',
    ms: untilBack,
    lastsMs: asItSays,
    means:
      'SIGKILL: before the request leaves (B), or when it was applied and before its reply (A); it is started again after ms',
    strike: ({ hands, process, fault, ms }) => hands.kill(process, `${fault.op} ${fault.phase}`, ms),
  },
  {
    ...base,
    do: 'kill-mid-batch',
    ops: BATCHES,
    phases: ['B'],
    ms: untilBack,
    lastsMs: asItSays,
    means:
      'SIGKILL in the middle of a batch: the items before the recipient’s (else the first half) are applied, the rest is not',
    strike: (strike) => {
      const call = callOf(strike);
      call.args = firstItems(call.args, strike.item < 0 ? Math.floor(itemCount(call.args) / 2) : strike.item);
      call.addAfter(() => strike.hands.kill(strike.process, `${strike.fault.op} at item ${strike.item}`, strike.ms));
    },
  },
  {
    ...base,
    do: 'kill-loop',
    ops: START,
    phases: ['A'],
    ms: untilBack,
    amount: count(1, 3, 20),
    lastsMs: ({ ms, amount }) => amount * (ms + BLINK_MS),
    means: 'the process is killed right after its start, that many times in a row, each time back after ms',
    strike: ({ hands, process, ms, amount }) => loop(amount, ms, hands, process),
  },
  {
    ...base,
    do: 'gone',
    means: 'the process is killed and never comes back',
    strike: ({ hands, process, fault }) => hands.kill(process, `${fault.op} ${fault.phase}, for good`, null),
  },
  {
    ...base,
    do: 'pause',
    ops: WORKER_OPS.filter((op) => op !== 'provider.send'),
    ms: beyondLease,
    lastsMs: asItSays,
    means:
      'the process stands still for ms (garbage collection, a suspended machine): before the request leaves (B), or before it sees the reply (A)',
    strike: ({ hands, process, ms }) => hands.pause(process, ms),
  },
  {
    ...base,
    do: 'pause',
    ops: ['provider.send'],
    ms: inTransit,
    lastsMs: asItSays,
    means: 'the process stands still between its last check and the first byte (B), or before it sees the answer (A)',
    strike: ({ hands, process, ms }) => hands.pause(process, ms),
  },
  {
    ...base,
    do: 'stop',
    ms: grace,
    lastsMs: ({ ms }) => ms + REPLACE_MS,
    means: 'SIGTERM, and SIGKILL ms later if it still runs; a new process follows',
    strike: ({ hands, process, ms }) => hands.stop(process, ms),
  },
  {
    ...base,
    do: 'restart-config',
    ms: ({ knobs }) => ({ least: 1_000, preset: 2 * knobs.leaseMs, most: 3_600_000 }),
    amount: count(1, 1, 3),
    lastsMs: ({ ms }) => ms + BLINK_MS,
    means:
      'killed, and run for ms with another config: one delivery at a time (1), providers in reverse order (2), first provider missing (3)',
    strike: ({ hands, process, amount, ms }) => hands.restartWith(process, amount, ms),
  },
  {
    ...base,
    do: 'poison',
    ops: ['ledger.mark'],
    phases: ['B'],
    forever: true,
    means: 'the recipient’s payload kills every process that is about to send it, for ever',
    strike: ({ hands, process }) => hands.kill(process, 'a poison payload', hands.knobs.restartMs),
  },
];

function loop(
  times: number,
  ms: number,
  hands: Parameters<FaultKind['strike']>[0]['hands'],
  process: Parameters<FaultKind['strike']>[0]['process'],
): void {
  hands.kill(process, 'right after its start', ms);
  if (times > 1) hands.later(ms + BLINK_MS, () => loop(times - 1, ms, hands, process));
}
