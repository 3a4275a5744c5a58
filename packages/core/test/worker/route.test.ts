import { describe, expect, test } from 'vitest';
import type { NotificationType, Notifier, TargetInput, WorkerOptions } from '../../src/index.ts';
import { expectHonest } from '../support/audit.ts';
import { never } from '../support/tap.ts';
import { world, type Order, type World } from '../support/world.ts';

const person = (i: number): TargetInput => ({ channel: 'email', to: `p${i}@example.org` });
const people = (count: number): TargetInput[] => Array.from({ length: count }, (_, i) => person(i));

async function send(made: World, id = 'o-1', count = 3): Promise<string> {
  const { id: notification } = await made.notifier.publish('order', { id, people: count });
  return notification;
}

async function stateOf(made: World, id: string): Promise<string | undefined> {
  return (await made.notifier.find(id))?.state;
}

describe('a route', () => {
  test('that throws is asked again, and then everybody is told', async () => {
    let asked = 0;
    const route = () => {
      if ((asked += 1) < 4) throw new Error('the database is down');
      return people(3);
    };
    const made = world({ order: { route } });
    made.start();
    await send(made);
    await made.untilDone();
    expect(asked).toBe(4);
    expect(await made.states()).toEqual({ sent: 3 });
  });

  test('that always throws makes its notification a dead letter, and holds up nobody else', async () => {
    const route = ({ id, people: count }: Order) => {
      if (id === 'bad') throw new Error('no such order');
      return people(count);
    };
    const made = world({ order: { route } });
    const worker = made.start();
    const bad = await send(made, 'bad');
    await send(made, 'good');
    await made.until('the good one is out', async () => (await made.states()).sent === 3, 2_000);
    await made.until('the bad one gave up', async () => (await stateOf(made, bad)) === 'failed');
    const reason = 'route threw Error: no such order';
    expect(await made.notifier.find(bad)).toMatchObject({ state: 'failed', reason, deliveries: 0 });
    await made.until('it is told', () =>
      worker.events.some((event) => 'id' in event && event.id === bad && 'to' in event && event.to === 'failed'),
    );
    expect(worker.events.filter((event) => event.kind === 'notification.moved' && event.id === bad)).toMatchObject([
      ...Array.from({ length: 4 }, () => ({ to: 'accepted', reason })),
      { to: 'failed', reason },
    ]);
    await made.until('the alert is out', () => made.alerts.length > 0, 30_000);
    expect(made.alerts).toMatchObject([{ kind: 'dead-letter', count: 1, examples: [bad] }]);
  });

  test.each<[what: string, result: unknown, reason: RegExp]>([
    ['nothing', undefined, /must return an array or \(async\) iterable of targets, got undefined/],
    ['null', null, /must return an array or \(async\) iterable of targets, got null/],
    ['a number', 3, /got 3/],
    ['a text', 'p0@example.org', /got p0@example\.org/],
    ['a plain object', {}, /got an object/],
  ])('that returns %s fails its notification with a reason that says so', async (_what, result, reason) => {
    const made = world({ order: { route: () => result as TargetInput[] } });
    const worker = made.start();
    const id = await send(made);
    await made.until('it gave up', async () => (await stateOf(made, id)) === 'failed');
    expect((await made.notifier.find(id))?.reason).toMatch(reason);
    expect(worker.events.some(({ kind }) => kind === 'worker.degraded')).toBe(false);
  });

  test('that names nobody is done at once', async () => {
    const made = world({ order: { route: () => [] } });
    made.start();
    const id = await send(made);
    await made.until('it is done', async () => (await stateOf(made, id)) === 'done', 2_000);
    expect(await made.notifier.find(id)).toMatchObject({ targets: 0, deliveries: 0 });
  });

  test('that names somebody twice tells them once, and the sums say so', async () => {
    const route = (): TargetInput[] => [person(0), person(1), { channel: 'email', to: ' P0@Example.org ' }, person(1)];
    const made = world({ order: { route } });
    made.start();
    const id = await send(made);
    await made.untilDone();
    await expectHonest(made, 2);
    expect(await made.notifier.find(id)).toMatchObject({ targets: 4, deliveries: 2 });
  });

  test('tells a recipient on each channel and each device', async () => {
    const push = (destinationId: string): TargetInput => ({
      channel: 'push',
      to: `token-${destinationId}`,
      id: 'u1',
      destinationId,
    });
    const route = (): TargetInput[] => [{ ...person(0), id: 'u1' }, push('phone'), push('tablet'), push('phone')];
    const made = world({ order: { route } });
    const [provider] = made.providers;
    if (provider === undefined) throw new Error('no provider');
    made.start({ config: { channels: { email: { providers: [provider] }, push: { providers: [provider] } } } });
    await send(made);
    await made.untilDone();
    expect(
      made
        .mailbox()
        .map(({ to }) => to)
        .sort(),
    ).toEqual(['p0@example.org', 'token-phone', 'token-tablet']);
  });

  test.each<[what: string, target: TargetInput, reason: RegExp]>([
    ['an address without an @', { channel: 'email', to: 'nobody' }, /^invalid address: an e-mail address needs/],
    ['an empty address', { channel: 'email', to: '' }, /^invalid address: the address is empty/],
    ['no address at all', { channel: 'email' } as unknown as TargetInput, /^invalid address: the address is empty/],
    ['a line break', { channel: 'email', to: 'a@example.org\nBcc: b@example.org' }, /line break/],
    ['what is no channel', { channel: 'fax' as 'sms', to: '+4915123456789' }, /^channel 'fax' has no provider/],
  ])('that names %s gives birth to a failed delivery, and tells the others', async (_what, target, reason) => {
    const made = world({ order: { route: () => [person(0), target, person(1)] } });
    const worker = made.start();
    await send(made);
    await made.untilDone(5_000);
    expect(await made.states()).toEqual({ sent: 2, failed: 1 });
    const failed = (await made.deliveries()).find(({ state }) => state === 'failed');
    expect(failed?.reason).toMatch(reason);
    expect(worker.events).toContainEqual(
      expect.objectContaining({ kind: 'delivery.moved', id: failed?.id, to: 'failed' }),
    );
    await made.until('the alert is out', () => made.alerts.length > 0, 30_000);
    expect(made.alerts).toMatchObject([{ kind: 'dead-letter', count: 1, examples: [failed?.id] }]);
  });

  test.each<[what: string, route: () => Iterable<TargetInput> | AsyncIterable<TargetInput>]>([
    ['an array', () => people(25)],
    ['a set', () => new Set(people(25))],
    [
      'a generator',
      function* () {
        yield* people(25);
      },
    ],
    [
      'an async generator',
      async function* () {
        for (const each of people(25)) yield await Promise.resolve(each);
      },
    ],
  ])('may return %s of more targets than fit a page', async (_what, route) => {
    const made = world({ order: { route } });
    made.start({ worker: { chunk: 10 } });
    const id = await send(made);
    await made.untilDone();
    await expectHonest(made, 25);
    expect(await made.notifier.find(id)).toMatchObject({ pages: 3, targets: 25, deliveries: 25, state: 'done' });
  });

  test('whose iterable breaks off half-way begins again, and tells everybody once', async () => {
    let runs = 0;
    const route = function* () {
      runs += 1;
      for (const each of people(25)) {
        if (runs < 3 && each.to === 'p17@example.org') throw new Error('cursor lost');
        yield each;
      }
    };
    const made = world({ order: { route } });
    const worker = made.start({ worker: { chunk: 10 } });
    await send(made);
    await made.untilDone();
    await expectHonest(made, 25);
    expect(worker.events.some(({ kind }) => kind === 'worker.degraded')).toBe(false);
  });

  test.each<[what: string, hangs: (at: number) => boolean]>([
    ['at once', (at) => at === 0],
    ['on a later page', (at) => at === 17],
    ['at its end', (at) => at === 24],
  ])('whose iterable hangs %s stops nobody else, and fails in the end', async (_what, hangs) => {
    const route = ({ id }: Order) => (id === 'bad' ? hanging(hangs) : people(3));
    const made = world({ order: { route } });
    made.start({ worker: { chunk: 10 } });
    const bad = await send(made, 'bad');
    await made.advance(1_000);
    await send(made, 'good');
    await made.until('the good one is out', async () => (await made.states()).sent === 3, 60_000);
    await made.until('the bad one gave up', async () => (await stateOf(made, bad)) === 'failed', 3_600_000);
    expect((await made.notifier.find(bad))?.reason).toMatch(/^route threw Error: no page of targets within 30000 ms/);
  });

  test.each<[what: string, waitMs: number, worker: WorkerOptions, reason: RegExp]>([
    [
      'more targets than it may',
      0,
      { maxTargets: 50 },
      /^route threw Error: it has more than 50 targets \(worker option maxTargets\)$/,
    ],
    [
      'targets without an end',
      700,
      { routeMs: 60_000 },
      /^route threw Error: its targets came to no end within 60000 ms \(worker option routeMs\)$/,
    ],
  ])('that has %s fails in the end, and nobody is told', async (_what, waitMs, worker, reason) => {
    const made: World = world({
      order: {
        route: async function* () {
          for (let i = 0; ; i += 1) {
            if (waitMs > 0) await made.clock.sleep(waitMs);
            yield person(i);
          }
        },
      },
      worker: { chunk: 10, ...worker },
    });
    made.start();
    const { id } = await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.until('it gave up', async () => (await made.notifier.find(id))?.state === 'failed', 1_800_000);
    expect(await made.notifier.find(id)).toMatchObject({ reason: expect.stringMatching(reason) });
    expect(made.mailbox()).toEqual([]);
  });

  test.each([10, 500])('that is a list with more targets than it may have fails as well (chunk %d)', async (chunk) => {
    const made = world({ order: { route: () => people(51) }, worker: { chunk, maxTargets: 50 } });
    made.start();
    const { id } = await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.until('it gave up', async () => (await made.notifier.find(id))?.state === 'failed', 1_800_000);
    expect(made.mailbox()).toEqual([]);
  });

  test('with as many targets as it may have tells all of them', async () => {
    const made = world({ order: { route: () => people(50).values() }, worker: { chunk: 10, maxTargets: 50 } });
    made.start();
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.untilDone();
    await expectHonest(made, 50);
  });

  test('whose iterable is slow, but never that slow over one page, is let finish', async () => {
    const made = world();
    const route = async function* () {
      for (const each of people(25)) {
        await made.clock.sleep(2_000);
        yield each;
      }
    };
    made.start({ worker: { chunk: 10 }, config: { notifications: { order: { ...order, route } } } });
    await send(made);
    await made.untilDone();
    await expectHonest(made, 25);
  });

  test('that never answers does not stop the other notifications', async () => {
    const route = ({ id, people: count }: Order) => (id === 'bad' ? (never as Promise<TargetInput[]>) : people(count));
    const made = world({ order: { route } });
    made.start();
    await send(made, 'bad');
    await made.advance(1_000);
    await send(made, 'good');
    await made.until('the good one is out', async () => (await made.states()).sent === 3, 60_000);
  });
});

/** Ways of a `route` to take its time over one notification. */
const SLOW: readonly (readonly [
  what: string,
  route: (made: World) => NonNullable<NotificationType<Order>['route']>,
])[] = [
  ['never answers', () => () => never],
  ['answers after 25 s', (made) => async () => (await made.clock.sleep(25_000), people(3))],
  [
    'never comes to an end',
    (made) =>
      async function* () {
        for (let i = 0; ; i += 1) {
          await made.clock.sleep(700);
          yield person(i);
        }
      },
  ],
  ['hangs after a page', () => () => hanging((at) => at === 17)],
];

describe.each([true, false])('a type (queue: %s)', (queue) => {
  test.each(SLOW)('whose route %s for fifty notifications holds up no other type', async (_what, slow) => {
    const made: World = world({ queue });
    const bulk = { ...order, route: slow(made) };
    const code = { ...order, class: 'security' as const, route: ({ people: count }: Order) => people(count) };
    const config = { notifications: { bulk, code } } as never;
    const worker = made.start({ config, worker: { chunk: 10 } });
    const notifier = worker.notifier as unknown as Notifier<{ bulk: typeof bulk; code: typeof code }>;
    for (let i = 0; i < 50; i += 1) await notifier.publish('bulk', { id: `b-${i}`, people: 1 });
    for (let i = 0; i < 20; i += 1) {
      await made.advance(3_000);
      const { id } = await notifier.publish('code', { id: `c-${i}`, people: 1 });
      const isOut = async () => (await notifier.find(id))?.state === 'done';
      await made.until(`code ${i} is out`, isOut, 4_000);
    }
    worker.stop();
    await made.until('it has ended', () => worker.ended, 1_000);
    // Nobody has to wait for a lease: what was on its way was given back.
    const { items } = await made.ledger.listNotifications({}, { limit: 100 });
    expect(items.filter(({ leaseUntil }) => leaseUntil !== null)).toEqual([]);
  });
});

/** Gives 25, and at one place nothing any more. */
async function* hanging(at: (i: number) => boolean): AsyncGenerator<TargetInput> {
  for (const [i, each] of people(25).entries()) {
    if (at(i)) await never;
    yield each;
  }
}

const order = {
  class: 'transactional' as const,
  key: ({ id }: Order) => id,
  content: (_data: Order, { to }: { to: string }) => ({ text: to }),
};

describe('a channel that a worker does not know', () => {
  const sms: TargetInput = { channel: 'sms', to: '+4915123456789' };

  test('is left to one that does, as during a deploy, and nobody is born failed', async () => {
    const made = world({ order: { route: () => [person(0), sms] } });
    const old = made.start();
    const id = await send(made);
    await made.advance(20_000);
    expect(await made.states()).toEqual({});
    const reason = "channel 'sms' has no provider in this worker's config";
    expect(old.events).toContainEqual(expect.objectContaining({ kind: 'notification.moved', id, reason }));
    old.stop();
    const [provider] = made.providers;
    if (provider === undefined) throw new Error('no provider');
    made.start({ config: { channels: { email: { providers: [provider] }, sms: { providers: [provider] } } } });
    await made.untilDone(60_000);
    expect(await made.states()).toEqual({ sent: 2 });
  });

  test.each([{ chunk: 10 }, { chunk: 500 }])(
    'and that no other does gives birth to failed deliveries after a minute or two, in pages of $chunk',
    async ({ chunk }) => {
      const route = () => Array.from({ length: 300 }, (_, i) => (i % 2 === 0 ? person(i) : { ...sms, id: `s${i}` }));
      const made = world({ order: { route } });
      const worker = made.start({ worker: { chunk } });
      const id = await send(made);
      await made.untilDone(180_000);
      expect(await made.states()).toEqual({ sent: 150, failed: 150 });
      expect((await made.notifier.find(id))?.state).toBe('done');
      const failed = (await made.deliveries()).find(({ state }) => state === 'failed');
      expect(failed?.reason).toBe("channel 'sms' has no provider in the config");
      expect(worker.events).toContainEqual(
        expect.objectContaining({ kind: 'delivery.moved', id: failed?.id, to: 'failed' }),
      );
      await made.until('the alert is out', () => made.alerts.length > 0, 30_000);
      expect(made.alerts).toMatchObject([{ kind: 'dead-letter', count: 150 }]);
    },
  );
});

describe('explicit recipients', () => {
  test('are told although the type has no route, and unlike a route are frozen by the producer', async () => {
    const made = world({ order: { route: undefined as never } });
    made.start();
    const { record } = await made.notifier.publish('order', { id: 'o-1', people: 0 }, { recipients: people(4) });
    expect(record).toMatchObject({ recipients: 'explicit', sealed: true, targets: 4 });
    await made.untilDone();
    await expectHonest(made, 4);
  });

  test('win over the route', async () => {
    const made = world();
    made.start();
    await made.notifier.publish('order', { id: 'o-1', people: 9 }, { recipients: people(2) });
    await made.untilDone();
    await expectHonest(made, 2);
  });

  test('may be none', async () => {
    const made = world();
    made.start();
    const { id } = await made.notifier.publish('order', { id: 'o-1', people: 9 }, { recipients: [] });
    await made.until('it is done', async () => (await stateOf(made, id)) === 'done', 2_000);
  });
});
