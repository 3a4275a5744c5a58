import type { DeliveryRecord } from '@sendonce/core';
import type { HistoryEvent } from '../../src/history.ts';
import type { CallFault, Fault, SimulationSetup } from '../../src/plan.ts';
import { plainPaint } from '../../src/report/paint.ts';
import type { ReportContext } from '../../src/report/context.ts';
import type { SimulateReport } from '../../src/report/types.ts';
import { CLASSES_OF_END, type RunResult, type Tally, type Violation } from '../../src/result.ts';
import { setupOf } from '../support/setup.ts';

const START = 1_700_000_000_000;

export const setup: SimulationSetup = setupOf({ recipients: 2000, workers: 4, concurrency: 50 });

export function tally(counts: Partial<Tally>): Tally {
  return { ...(Object.fromEntries(CLASSES_OF_END.map((end) => [end, 0])) as unknown as Tally), ...counts };
}

export const kill: Fault = { do: 'kill', acceptance: 800, moment: 'after-accept' };
export const lostReply: CallFault = { do: 'reply-lost', op: 'provider.send', entity: 'r0', nth: 1, phase: 'A' };

export function runResult(changes: Partial<RunResult> = {}): RunResult {
  return {
    seed: 'apple',
    setup,
    faults: [kill],
    fired: [true],
    requested: 2000,
    tally: tally({ once: 1951, recovered: 49 }),
    kills: [{ at: 800, worker: 'w2', phase: 'after-accept' }],
    violations: [],
    unsealed: [],
    notSent: [],
    virtualMs: 65_250,
    events: 41_000,
    traceHash: '8c1f09ab',
    ...changes,
  };
}

export function passing(changes: Partial<SimulateReport> = {}): SimulateReport {
  const result = changes.result ?? runResult();
  return {
    verdict: 'pass',
    mode: 'virtual',
    seed: 'apple',
    setup: result.setup,
    schedules: 1,
    totals: { requested: result.requested, tally: result.tally, armed: 1, fired: 1, virtualMs: result.virtualMs },
    result,
    minimal: null,
    events: [],
    recipientOf: {},
    addressOf: {},
    idOf: {},
    coverage: { faults: [{ kind: 'kill', armed: 1, fired: 1 }], moves: { seen: 9, declared: 60 }, pairs: 0 },
    checked: ['S1', 'S2', 'S3', 'L2', 'L4', 'END'],
    doubts: [],
    nondeterminism: null,
    interrupted: false,
    wallMs: 212,
    traceHash: '8c1f09ab',
    ...changes,
  };
}

/** Of a run that somebody ended before any schedule had come to its end. */
export function nothing(changes: Partial<SimulateReport> = {}): SimulateReport {
  return passing({
    verdict: 'interrupted',
    interrupted: true,
    schedules: 0,
    result: runResult({ requested: 0, tally: tally({}), kills: [], fired: [false], traceHash: '' }),
    totals: { requested: 0, tally: tally({}), armed: 0, fired: 0, virtualMs: 0 },
    coverage: { faults: [], moves: { seen: 0, declared: 60 }, pairs: 0 },
    checked: [],
    ...changes,
  });
}

export const violation: Violation = {
  invariant: 'S1',
  kind: 'safety',
  at: START + 61_020,
  recipient: 'r0',
  deliveryId: 'd_0',
  message: 'p0 took a second message for the same delivery, and no possible duplicate had been declared.',
};

export function failing(changes: Partial<SimulateReport> = {}): SimulateReport {
  const small: SimulationSetup = { ...setup, recipients: [0], workers: 2, sender: 'mark-expires' };
  const minimal = runResult({
    setup: small,
    faults: [lostReply],
    requested: 1,
    tally: tally({ duplicated: 1 }),
    kills: [],
    violations: [violation],
  });
  const result = runResult({ tally: tally({ once: 1998, duplicated: 2 }), violations: [violation, endViolation] });
  return passing({
    verdict: 'violation',
    result,
    schedules: 3,
    totals: { requested: 6000, tally: tally({ once: 5998, duplicated: 2 }), armed: 7, fired: 6, virtualMs: 190_000 },
    minimal: {
      plan: { schema: 'sendonce.plan/1', title: 'S1', seed: 'apple', setup: small, faults: [lostReply], expect: 'S1' },
      explanation: ['any worker', 'any recipient'],
      result: minimal,
    },
    events: story,
    recipientOf: { d_0: 'r0' },
    addressOf: { r0: 'jörg+news@example.com' },
    ...changes,
  });
}

const endViolation: Violation = {
  ...violation,
  invariant: 'END',
  message: '2 recipients ended as duplicated.',
  recipient: 'r7',
};

export function context(changes: Partial<ReportContext> = {}): ReportContext {
  return {
    input: { source: null, rows: 2000, merged: 0, invalid: [] },
    again: 'notify simulate --recipients 2000 --kill-at 800 --seed apple',
    planFile: null,
    replay: null,
    directory: null,
    regressions: 0,
    providers: null,
    paint: plainPaint,
    ...changes,
  };
}

/** An event of the history at `ms` after the start; what no renderer reads is left out. */
export function event(ms: number, process: string, rest: object): HistoryEvent {
  return { at: START + ms, process, ...rest } as unknown as HistoryEvent;
}

export const claims = (ms: number, worker: string, id: string): HistoryEvent =>
  event(ms, worker, { kind: 'claim', verdict: { kind: 'granted', id, fence: 1, record: {} as DeliveryRecord } });

export const marks = (ms: number, worker: string, id: string, attempt = 1): HistoryEvent =>
  event(ms, worker, { kind: 'mark', request: { id }, verdict: { kind: 'go', id, attempt } });

export const sends = (ms: number, worker: string, id: string, attempt = 1, outcome = 'accepted'): HistoryEvent =>
  event(ms, worker, { kind: 'provider', provider: 'p0', deliveryId: id, attempt, outcome, reply: '202' });

export const settles = (ms: number, worker: string, id: string, outcome = 'accepted', state = 'sent'): HistoryEvent =>
  event(ms, worker, {
    kind: 'settle',
    request: { id, outcome: { kind: outcome } },
    verdict: { kind: 'settled', id, state, duplicate: false },
  });

export const story: readonly HistoryEvent[] = [
  event(0, 'producer', { kind: 'process', what: 'start', why: null }),
  event(0, 'w1', { kind: 'process', what: 'start', why: null }),
  event(0, 'w2', { kind: 'process', what: 'start', why: null }),
  event(4, 'producer', { kind: 'queue', op: 'enqueue', id: 'n_1', receipt: null }),
  event(10, 'w1', { kind: 'claim-notification', owner: 'w1', verdict: { kind: 'granted', id: 'n_1' } }),
  event(12, 'w1', { kind: 'add', request: {}, verdict: { kind: 'added', inserted: ['d_0'] } }),
  claims(20, 'w1', 'd_0'),
  marks(24, 'w1', 'd_0'),
  sends(30, 'w1', 'd_0'),
  event(30, 'plan', { kind: 'fault', what: 'fired', index: 0, fault: lostReply, entity: 'r0' }),
  event(40, 'w1', { kind: 'process', what: 'kill', why: 'SIGKILL' }),
  event(61_000, 'w2', { kind: 'heal' }),
  claims(61_010, 'w2', 'd_0'),
  marks(61_015, 'w2', 'd_0', 2),
  sends(61_020, 'w2', 'd_0', 2),
  settles(61_030, 'w2', 'd_0'),
  event(61_031, 'w2', { kind: 'queue', op: 'ack', id: 'd_0', receipt: 'x' }),
];
