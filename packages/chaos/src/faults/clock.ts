import type { FaultKind } from './kind.ts';
import { atOnce } from './lengths.ts';
import { count } from './ranges.ts';
import { WORKER_OPS } from './worker.ts';

const HOUR = 3_600_000;
const base = { component: 'clock', ops: WORKER_OPS, phases: ['B'], ms: null, lastsMs: atOnce } as const;

/** A worker's wall clock; its monotonic one is spared, as by every real system. The store's clock is the one that decides, and true. */
export const CLOCK_FAULTS: readonly FaultKind[] = [
  {
    ...base,
    do: 'skew',
    ops: ['worker.start'],
    phases: ['A'],
    amount: count(-HOUR, 10 * 60_000, HOUR),
    means: 'the worker’s clock is wrong by amount ms from its start',
    strike: ({ hands, process, amount }) => hands.skew(process, amount),
  },
  {
    ...base,
    do: 'step-back',
    amount: count(1, 60_000, HOUR),
    means: 'the worker’s clock is set back by amount ms',
    strike: ({ hands, process, amount }) => hands.skew(process, process.skewMs - amount),
  },
  {
    ...base,
    do: 'step-over-lease',
    amount: ({ knobs }) => ({ least: 1, preset: knobs.leaseMs + 1, most: 24 * HOUR }),
    means: 'the worker’s clock jumps ahead by amount ms, over its lease',
    strike: ({ hands, process, amount }) => hands.skew(process, process.skewMs + amount),
  },
];
