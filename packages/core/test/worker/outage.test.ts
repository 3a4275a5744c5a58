import { describe, expect, test } from 'vitest';
import { expectHonest } from '../support/audit.ts';
import { failing, losingReply, never } from '../support/tap.ts';
import { world, type World } from '../support/world.ts';

const LEDGER = ['claimNotifications', 'add', 'claim', 'mark', 'settle', 'sweep', 'renew', 'reconcile'] as const;
const QUEUE = ['enqueue', 'receive', 'ack'] as const;

async function publish(made: World, people = 12): Promise<void> {
  await made.notifier.publish('order', { id: 'o-1', people });
}

/** A flag that is up for a while of the world's time. */
function outage(made: World, forMs: number): () => boolean {
  const end = made.clock.monotonic() + forMs;
  return () => made.clock.monotonic() < end;
}

describe.each([20_000, 45_000, 120_000])('a ledger that is out of reach for %d ms', (ms) => {
  test('loses nothing: the worker says degraded once, then recovered, and goes on', async () => {
    const made = world();
    const worker = made.start({ hook: failing(/^ledger\./, outage(made, ms)), worker: { batch: 3, chunk: 5 } });
    await publish(made);
    await made.advance(ms / 2);
    expect(worker.healthy).toBe(false);
    await made.untilDone(ms + 60_000);
    await expectHonest(made, 12);
    expect(worker.healthy).toBe(true);
    const said = worker.events.map(({ kind }) => kind).filter((kind) => kind.startsWith('worker.'));
    expect(said).toEqual(['worker.degraded', 'worker.recovered']);
  });

  test.each(LEDGER)('for %s alone loses nothing either', async (call) => {
    const made = world({ models: ['lookup'] });
    made.providers[0]?.answerWith(({ call: nth }) =>
      nth === 2 ? { taken: true, reply: { kind: 'unknown', reason: 'reset' } } : {},
    );
    made.start({ hook: failing(new RegExp(`^ledger\\.${call}$`), outage(made, ms)), worker: { batch: 3, chunk: 5 } });
    await publish(made);
    await made.untilDone(ms + 1_200_000);
    await expectHonest(made, 12);
    expect(await made.states()).toEqual({ sent: 12 });
  });
});

describe('a reply of the ledger that is lost', () => {
  test.each(LEDGER.flatMap((call) => [1, 2].map((nth) => ({ call, nth }))))(
    'of $call (the $nth. time) changes nothing',
    async ({ call, nth }) => {
      const made = world({ models: ['plain'] });
      made.start({ hook: losingReply(`ledger.${call}`, nth), worker: { batch: 5, chunk: 5 } });
      await publish(made);
      await made.untilDone(600_000);
      await expectHonest(made, 12);
      expect(await made.states()).toEqual({ sent: 12 });
    },
  );
});

/** As a connection that is half open: the request may arrive, and no answer ever does. */
const HALF_OPEN = LEDGER.flatMap((call) => [true, false].map((arrives) => ({ call, arrives })));

describe('a ledger that never answers', () => {
  test.each(HALF_OPEN)('to $call once (arrives: $arrives) costs time, never a message', async ({ call, arrives }) => {
    const made = world({ models: ['lookup'] });
    made.providers[0]?.answerWith(({ call: nth }) =>
      nth === 2 ? { taken: true, reply: { kind: 'unknown', reason: 'reset' } } : {},
    );
    made.start({
      worker: { batch: 5, chunk: 5 },
      hook: async (port, go) => {
        if (port.on !== `ledger.${call}` || port.nth > 1) return go();
        if (arrives) await go();
        return never;
      },
    });
    await publish(made);
    await made.untilDone(1_200_000);
    await expectHonest(made, 12);
    expect(await made.states()).toEqual({ sent: 12 });
  });

  test.each(LEDGER)('to %s for a while is told, and nobody is led to believe that all is well', async (call) => {
    const made: World = world({
      models: ['lookup'],
      // Long enough for leases to be renewed.
      order: { content: async (_order, { to }) => (await made.clock.sleep(25_000), { text: to }) },
    });
    made.providers[0]?.answerWith(({ call: nth }) =>
      nth === 2 ? { taken: true, reply: { kind: 'unknown', reason: 'reset' } } : {},
    );
    const isOut = outage(made, 400_000);
    const worker = made.start({ hook: (port, go) => (port.on === `ledger.${call}` && isOut() ? never : go()) });
    await publish(made);
    const reason = `ledger.${call} gave no answer within 60000 ms`;
    await made.until(
      'it is told',
      () => worker.events.some((event) => event.kind === 'worker.degraded' && event.reason.includes(reason)),
      390_000,
    );
    await made.untilDone(1_800_000);
    await expectHonest(made, 12);
    await made.until('it is well again', () => worker.healthy, 120_000);
  });
});

describe('a mark that cannot be written for longer than the lease', () => {
  test('gives its work up: it is claimed again, also by the same worker', async () => {
    const made = world();
    made.start({ hook: failing(/^ledger\.mark$/, outage(made, 50_000)) });
    await publish(made, 2);
    await made.untilDone(150_000);
    await expectHonest(made, 2);
  });
});

describe('a queue', () => {
  test.each(QUEUE)('that refuses to %s for a while costs time, never a message', async (call) => {
    const made = world();
    made.start({ hook: failing(new RegExp(`^queue\\.${call}$`), outage(made, 60_000)) });
    await publish(made);
    await made.untilDone(120_000);
    await expectHonest(made, 12);
  });

  test.each(QUEUE)('that never answers to %s again costs time, never a message', async (call) => {
    const made = world();
    // A worker of its own for what follows: nothing else may help.
    const worker = made.start({ hook: (port, go) => (port.on === `queue.${call}` ? never : go()) });
    await publish(made);
    await made.untilDone(120_000);
    const second = worker.notifier.publish('order', { id: 'o-2', people: 3 });
    await made.advance(5_000);
    expect(await second).toMatchObject({ kind: 'accepted' });
    await made.untilDone(120_000);
    await expectHonest(made, 15);
  });

  test('that is down from the start and for good is not needed', async () => {
    const made = world();
    made.start({ hook: failing(/^queue\./, () => true) });
    await publish(made);
    await made.untilDone(120_000);
    await expectHonest(made, 12);
  });

  test('that is wiped again and again: the sweeper finds what is due', async () => {
    const made = world();
    made.providers[0]?.answerWith(({ nth }) =>
      nth === 1 ? { reply: { kind: 'deferred', reason: '429', retryAfterMs: 5_000 } } : {},
    );
    await publish(made);
    made.queue?.wipe();
    made.start({
      hook: async (call, go) => {
        const answer = await go();
        if (call.on === 'queue.enqueue') made.queue?.wipe();
        return answer;
      },
    });
    await made.untilDone(120_000);
    await expectHonest(made, 12);
  });

  test('that delivers only what it should not: wakes about nothing are recorded as stray and acked', async () => {
    const made = world();
    const worker = made.start({ worker: { strayAfterMs: 10_000 } });
    await made.queue?.enqueue([{ id: 'd_nobody' }, { id: 'n_nobody' }]);
    await made.until('they are recorded', async () => (await made.notifier.status()).strays === 2, 120_000);
    await made.until('they are gone', async () => (await made.queue?.depth()) === 0, 60_000);
    expect(worker.events).toContainEqual(expect.objectContaining({ kind: 'delivery.stray', id: 'd_nobody' }));
  });

  test('is empty when everything is settled', async () => {
    const made = world();
    made.start();
    await publish(made);
    await made.untilDone();
    await made.advance(60_000);
    expect(await made.queue?.depth()).toBe(0);
  });
});

describe('a lookup', () => {
  test('that throws is asked again until it answers', async () => {
    const made = world({ models: ['lookup'] });
    const [provider] = made.providers;
    if (provider === undefined || provider.capabilities.lookup === 'none') throw new Error('no lookup');
    provider.answerWith(() => ({ taken: true, reply: { kind: 'unknown', reason: 'reset' } }));
    let asked = 0;
    const { lookup } = provider.capabilities;
    const find: typeof lookup.find = async (request, options) => {
      if ((asked += 1) < 3) throw new Error('503');
      return lookup.find(request, options);
    };
    const unsteady = { ...provider, capabilities: { ...provider.capabilities, lookup: { ...lookup, find } } };
    made.start({ config: { channels: { email: { providers: [unsteady] } } } });
    await publish(made, 1);
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 1 });
    expect(made.mailbox()).toHaveLength(1);
  });

  test('that never answers does not keep the sweeper from everything else', async () => {
    const made = world({ models: ['lookup'] });
    const [provider] = made.providers;
    if (provider === undefined || provider.capabilities.lookup === 'none') throw new Error('no lookup');
    const lookup = { ...provider.capabilities.lookup, find: () => never };
    provider.answerWith(({ call }) => (call === 1 ? { taken: true, reply: { kind: 'unknown', reason: 'reset' } } : {}));
    const hung = { ...provider, capabilities: { ...provider.capabilities, lookup } };
    let wakesAreLost = false;
    made.start({
      config: { channels: { email: { providers: [hung] } } },
      hook: (call, go) => (call.on === 'queue.enqueue' && wakesAreLost ? Promise.resolve([]) : go()),
    });
    await publish(made, 1);
    await made.until('it is unknown', async () => (await made.states()).unknown === 1);
    await made.advance(10_000);
    // From now on only the sweeper brings anything out.
    wakesAreLost = true;
    await made.notifier.publish('order', { id: 'o-2', people: 3 });
    await made.until('the others are sent', async () => (await made.states()).sent === 3, 300_000);
  });
});

describe('no progress', () => {
  test('although work is due is said once, alerted, and over when something moves again', async () => {
    const made = world();
    let stuck = true;
    const worker = made.start({
      hook: (call, go) => (call.on === 'ledger.claim' && stuck ? Promise.resolve([]) : go()),
    });
    await publish(made, 2);
    await made.advance(200_000);
    const said = (): readonly unknown[] => worker.events.filter(({ kind }) => kind === 'worker.no-progress');
    expect(said()).toMatchObject([{ waiting: 2 }]);
    expect(worker.healthy).toBe(false);
    expect(made.alerts).toMatchObject([{ kind: 'no-progress', next: 'notifier.status()' }]);
    stuck = false;
    await made.untilDone();
    expect(worker.healthy).toBe(true);
  });

  test('is over when others did the work', async () => {
    const made = world({ queue: false });
    const stuck = made.start({ hook: (call, go) => (call.on === 'ledger.claim' ? Promise.resolve([]) : go()) });
    await publish(made, 2);
    await made.until('it is told', () => !stuck.healthy, 200_000);
    made.start();
    await made.untilDone();
    await made.until('it is well again', () => stuck.healthy, 120_000);
    expect(stuck.events.filter(({ kind }) => kind === 'worker.no-progress')).toHaveLength(1);
  });

  test('of deliveries is told by a worker that only decides, and is no illness of its own', async () => {
    const made = world({ queue: false });
    const decider = made.start({ worker: { stages: ['decide'] } });
    await publish(made, 2);
    await made.until('it is told', () => decider.events.some(({ kind }) => kind === 'worker.no-progress'), 200_000);
    expect(decider.healthy).toBe(true);
  });

  test('is not said where nothing is due', async () => {
    const made = world();
    const worker = made.start();
    await made.advance(600_000);
    expect(worker.events).toEqual([]);
    expect(worker.healthy).toBe(true);
  });
});
