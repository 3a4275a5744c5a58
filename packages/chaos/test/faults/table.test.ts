import { describe, expect, test } from 'vitest';
import { FAULTS, faultKind } from '../../src/faults/index.ts';
import { COMPONENTS, type FaultKind } from '../../src/faults/kind.ts';
import { limitsOf } from '../../src/world/limits.ts';
import { knobsOf } from '../../src/world/knobs.ts';
import type { CallFault, SimulationSetup } from '../../src/plan.ts';
import { messages, simulate, type Simulated } from '../world/simulate.ts';

const LIMITS = limitsOf([], knobsOf({}));

describe('the fault table', () => {
  test('has faults of every component', () => {
    expect(COMPONENTS.filter((component) => !FAULTS.some((kind) => kind.component === component))).toEqual([]);
  });

  test('names each fault once per op', () => {
    const sites = FAULTS.flatMap((kind) => kind.ops.map((op) => `${kind.do} ${op}`));
    expect(new Set(sites).size).toBe(sites.length);
    for (const kind of FAULTS) for (const op of kind.ops) expect(faultKind(kind.do, op)).toBe(kind);
  });

  test.each(FAULTS)('says in one sentence what $do of $component means', ({ means, phases, ops }) => {
    expect(means).toMatch(/^[a-zA-Z].{10,}[^.]$/);
    expect([phases.length, ops.length].every((count) => count > 0)).toBe(true);
  });

  const sized = FAULTS.flatMap((kind) => [
    ...(kind.ms === null ? [] : [{ name: `${kind.component} ${kind.do} ms`, range: kind.ms(LIMITS) }]),
    ...(kind.amount === null ? [] : [{ name: `${kind.component} ${kind.do} amount`, range: kind.amount(LIMITS) }]),
  ]);
  test.each(sized)('keeps $name between its bounds', ({ range: { least, preset, most } }) => {
    expect(least).toBeLessThanOrEqual(preset);
    expect(preset).toBeLessThanOrEqual(most);
  });
});

// What has to happen first, for calls that no quiet run makes.
const lost = { do: 'reply-lost', op: 'provider.send', entity: 'r0', nth: 1, phase: 'A' } as const;
const dead = { do: 'reject', op: 'provider.send', entity: 'r0', nth: 1, phase: 'E' } as const;
const operate = (action: string): CallFault => ({ do: action, op: 'ledger.settle', entity: 'r0', nth: 1, phase: 'A' });
// Its worker is dead and its lease is not over when the wake comes again.
const heldWake = [
  { do: 'kill', op: 'ledger.mark', entity: 'r0', nth: 1, phase: 'B' },
  { do: 'redeliver', op: 'queue.receive', entity: 'r0', nth: 1, phase: 'A', ms: 100 },
] as const;
const BEFORE: Readonly<
  Record<
    string,
    { readonly faults?: readonly CallFault[]; readonly setup?: Partial<SimulationSetup>; readonly entity?: string }
  >
> = {
  'ledger.seal': { setup: { recipients: 60, knobs: { page: 20 } } },
  'ledger.reconcile': { faults: [lost] },
  'provider.lookup': { faults: [lost], setup: { provider: 'lookup' } },
  'ledger.record': {
    faults: [{ do: 'bounce', op: 'provider.send', entity: 'r0', nth: 1, phase: 'A', ms: 50 }],
    entity: '*',
  },
  'ledger.cancel': { faults: [operate('cancel')], entity: '*' },
  'ledger.suppress': { faults: [operate('opt-out')], entity: '*' },
  'ledger.find': { faults: [operate('opt-out')], entity: '*' },
  'ledger.replay': { faults: [dead, operate('replay')], entity: '*' },
  'ledger.list': { faults: [operate('replay-killed')], entity: '*' },
  'ledger.renew': {
    faults: [{ do: 'slow', op: 'ledger.mark', entity: 'r0', nth: 1, phase: 'D', ms: 25_000 }],
    entity: '*',
  },
  // One worker comes back without the first provider, and gives back what it cannot send.
  'ledger.release': {
    faults: [
      {
        do: 'restart-config',
        op: 'ledger.claimNotifications',
        entity: 'w1',
        nth: 1,
        phase: 'B',
        amount: 3,
        ms: 60_000,
      },
    ],
    setup: { recipients: 20 },
  },
  'ledger.sweep': { faults: [lost] },
  'queue.release': { faults: [...heldWake], entity: '*' },
};
/** Nobody calls these in a run of ours: adapters and other senders do. */
const UNCALLED = ['queue.extend', 'ledger.findNotifications', 'ledger.count'];
const PRODUCERS = ['ledger.accept', 'ledger.seal'];

interface Site {
  readonly kind: FaultKind;
  readonly op: FaultKind['ops'][number];
  readonly phase: FaultKind['phases'][number];
}
const SITES: readonly Site[] = FAULTS.flatMap((kind) =>
  kind.ops.filter((op) => !UNCALLED.includes(op)).flatMap((op) => kind.phases.map((phase) => ({ kind, op, phase }))),
);

describe('each fault at each of its sites', () => {
  test.each(SITES)('$kind.do fires at $op $phase, and everything settles after it', async ({ kind, op, phase }) => {
    const { faults = [], setup = {}, entity = PRODUCERS.includes(op) ? 'producer' : '*' } = BEFORE[op] ?? {};
    const fault: CallFault = { do: kind.do, op, entity, nth: 1, phase };
    const run = await simulate([...faults, fault], setup);
    expect(run.fired.at(-1)).toBe(true);
    expect(run.end).toBe('done');
    expect(run.crashes).toEqual([]);
    for (const count of Object.values(messages(run))) expect(count).toBeLessThanOrEqual(1);
    expect(kind.forever === true ? [] : startsAfterHeal(run)).toEqual([]);
  });
});

/** A request on its way when the fault struck may let it begin that much later. */
const ON_ITS_WAY_MS = 100;

/** Processes that were still dying, standing still or coming back when everything was said to be over. A producer that is done stops. */
function startsAfterHeal({ history, facts }: Simulated): readonly unknown[] {
  const over = facts.liveness.healedAt + ON_ITS_WAY_MS;
  return history.filter((event) => event.kind === 'process' && event.what !== 'stopped' && event.at > over);
}
