import { describe, expect, test } from 'vitest';
import { expectHonest } from '../support/audit.ts';
import { world, type ProcessOptions, type World } from '../support/world.ts';

/** Every call that a worker makes on the way from an accepted notification to a settled delivery. */
const STEPS = [
  'ledger.claimNotifications',
  'ledger.add',
  'queue.enqueue',
  'queue.receive',
  'ledger.claim',
  'ledger.mark',
  'p0.send',
  'ledger.settle',
  'queue.ack',
  'ledger.sweep',
] as const;
const PHASES = ['before', 'after'] as const;
const MODELS = ['keyed', 'lookup', 'plain'] as const;
const PEOPLE = 5;

/** One process dies there; another one, started later, has to finish the work. */
async function survive(made: World, dies: NonNullable<ProcessOptions['dies']>): Promise<void> {
  await made.notifier.publish('order', { id: 'o-1', people: PEOPLE });
  const first = made.start({ dies, worker: { batch: 2, concurrency: 4 } });
  await made.advance(5_000);
  expect(first.killed).toBe(true);
  made.start({ worker: { batch: 2, concurrency: 4 } });
  await made.untilDone(3_600_000);
}

const crashes = STEPS.flatMap((on) => PHASES.map((phase) => ({ on, phase })));

describe.each(MODELS)('a worker killed at a %s provider', (model) => {
  test.each(crashes)('$phase $on loses nothing and sends nothing twice', async (dies) => {
    const made = world({ models: [model] });
    await survive(made, dies);
    await expectHonest(made, PEOPLE);
    const { sent = 0, parked = 0 } = await made.states();
    expect(sent + parked).toBe(PEOPLE);
    // Only what was marked and cannot be asked about is left to a person: at most one batch's worth of slots.
    const mayPark = model === 'plain' && [
      'after ledger.mark',
      'before p0.send',
      'after p0.send',
      'before ledger.settle',
    ];
    if (!mayPark || !mayPark.includes(`${dies.phase} ${dies.on}`)) expect(parked).toBe(0);
    expect(parked).toBeLessThanOrEqual(4);
  });
});

const withoutQueue = crashes.filter(({ on }) => !on.startsWith('queue.'));

describe('a worker killed where there is no queue', () => {
  test.each(withoutQueue)('$phase $on loses nothing and sends nothing twice', async (dies) => {
    const made = world({ queue: false });
    await survive(made, dies);
    await expectHonest(made, PEOPLE);
    expect(await made.states()).toEqual({ sent: PEOPLE });
  });
});

describe('a reconciler killed', () => {
  test.each(PHASES)('%s its decision leaves it to the next one', async (phase) => {
    const made = world();
    made.providers[0]?.answerWith(({ nth }) =>
      nth === 1 ? { taken: true, reply: { kind: 'unknown', reason: 'reset' } } : {},
    );
    await survive(made, { on: 'ledger.reconcile', phase });
    await expectHonest(made, PEOPLE);
    expect(await made.states()).toEqual({ sent: PEOPLE });
  });
});
