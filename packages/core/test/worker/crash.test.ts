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
const SLOTS = 4;

const worker = { batch: 2, concurrency: SLOTS };

/** One process dies there; another one, started later, has to finish the work. Answers whether the first one did die. */
async function survive(made: World, dies: NonNullable<ProcessOptions['dies']>): Promise<boolean> {
  await made.notifier.publish('order', { id: 'o-1', people: PEOPLE });
  const first = made.start({ dies, worker });
  await made.advance(5_000);
  made.start({ worker });
  await made.untilDone(3_600_000);
  return first.killed;
}

const crashes = STEPS.flatMap((on) => PHASES.map((phase) => ({ on, phase })));

describe.each(MODELS)('a worker killed at a %s provider', (model) => {
  test.each(crashes)('$phase $on loses nothing and sends nothing twice', async (dies) => {
    const made = world({ models: [model] });
    expect(await survive(made, dies)).toBe(true);
    await expectHonest(made, PEOPLE);
    const { sent = 0, parked = 0 } = await made.states();
    expect(sent + parked).toBe(PEOPLE);
    // Only what was marked, at a provider that nobody can ask, is left to a person: no more than there were send slots.
    expect(parked).toBeLessThanOrEqual(model === 'plain' ? SLOTS : 0);
  });
});

const withoutQueue = crashes.filter(({ on }) => !on.startsWith('queue.'));

describe('a worker killed where there is no queue', () => {
  test.each(withoutQueue)('$phase $on loses nothing and sends nothing twice', async (dies) => {
    const made = world({ queue: false });
    expect(await survive(made, dies)).toBe(true);
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
    expect(await survive(made, { on: 'ledger.reconcile', phase })).toBe(true);
    await expectHonest(made, PEOPLE);
    expect(await made.states()).toEqual({ sent: PEOPLE });
  });
});

describe.each(MODELS)('a worker killed at its nth call of any port, at a %s provider,', (model) => {
  test.each(PHASES)('loses nothing and sends nothing twice, whichever call it is: %s it', async (phase) => {
    let nth = 1;
    for (let died = true; died; nth += 1) {
      const made = world({ models: [model] });
      died = await survive(made, { on: 'any port', phase, nth });
      await expectHonest(made, PEOPLE).catch((cause: unknown) => {
        throw new Error(`killed ${phase} call ${nth}`, { cause });
      });
    }
    // Every call of five busy seconds was tried; the next one is never made.
    expect(nth).toBeGreaterThan(30);
  });
});
