import { describe, expect, test } from 'vitest';
import type { Notifier } from '../../src/index.ts';
import { expectHonest } from '../support/audit.ts';
import { never } from '../support/tap.ts';
import { world, type Order, type World } from '../support/world.ts';

async function send(made: World, people: number): Promise<ReturnType<World['start']>> {
  const worker = made.start();
  await made.notifier.publish('order', { id: 'o-1', people });
  return worker;
}

describe('content', () => {
  test.each(['throws', 'rejects'])('that %s for one recipient fails that one alone, with its reason', async (how) => {
    let tries = 0;
    const content = ({ id }: { id: string }, { to }: { to: string }) => {
      if (to !== 'p3@example.org') return { text: id };
      tries += 1;
      if (how === 'rejects') return Promise.reject(new TypeError('no name'));
      throw new TypeError('no name');
    };
    const made = world({ order: { content } });
    const worker = await send(made, 8);
    await made.untilDone(3_600_000);
    expect(await made.states()).toEqual({ sent: 7, failed: 1 });
    await expectHonest(made, 8);
    expect(tries).toBe(5);
    const failed = (await made.deliveries()).find(({ state }) => state === 'failed');
    const reason = 'content threw TypeError: no name';
    expect(failed).toMatchObject({ target: { to: 'p3@example.org' }, reason, charged: 0, attempts: [] });
    expect(worker.events).toContainEqual(expect.objectContaining({ kind: 'delivery.moved', to: 'failed', reason }));
    await made.until('the alert is out', () => made.alerts.length > 0, 30_000);
    expect(made.alerts).toMatchObject([{ kind: 'dead-letter', count: 1, examples: [failed?.id] }]);
  });

  test('that fails at first does not delay the others, and is charged nothing', async () => {
    let tries = 0;
    const content = (_order: unknown, { to }: { to: string }) => {
      if (to === 'p0@example.org' && (tries += 1) < 3) throw new Error('template store is down');
      return { text: to };
    };
    const made = world({ order: { content } });
    await send(made, 3);
    await made.until('the others are sent', async () => (await made.states()).sent === 2, 2_000);
    await made.untilDone();
    const record = (await made.deliveries()).find(({ target }) => target.to === 'p0@example.org');
    expect(record).toMatchObject({ state: 'sent', charged: 1, failures: 2 });
    await expectHonest(made, 3);
  });

  test('may take its time, also for many', async () => {
    const made: World = world({
      order: {
        content: async ({ id }, { to }) => {
          await made.clock.sleep(200);
          return { subject: id, text: to };
        },
      },
    });
    await send(made, 30);
    // One after the other they would need six seconds.
    await made.untilDone(3_000);
    await expectHonest(made, 30);
  });

  test.each([undefined, null, 'text'])('that is not an object (%j) is never sent', async (nothing) => {
    const made = world({ order: { content: () => nothing as never } });
    await send(made, 1);
    await made.untilDone(3_600_000);
    expect(made.providers[0]?.calls()).toBe(0);
    const reason = `content must return an object, got ${nothing}`;
    expect(await made.deliveries()).toMatchObject([{ state: 'failed', reason }]);
  });

  test('that never comes for one recipient does not stop the others of its batch', async () => {
    const content = (_order: unknown, { to }: { to: string }) => (to === 'p1@example.org' ? never : { text: to });
    const made = world({ order: { content } });
    await send(made, 4);
    await made.until('the others are sent', async () => (await made.states()).sent === 3, 300_000);
    await made.untilDone(3_600_000);
    expect(await made.states()).toEqual({ sent: 3, failed: 1 });
    expect((await made.deliveries()).find(({ state }) => state === 'failed')?.reason).toMatch(
      /^content took longer than/,
    );
  });

  test('is frozen by the first mark: a retry sends the same bytes, although the function would say otherwise', async () => {
    let made_ = 0;
    const made = world({ order: { content: () => ({ text: `number ${(made_ += 1)}` }) } });
    const heard: unknown[] = [];
    made.providers[0]?.answerWith(({ message, nth }) => {
      heard.push(message.content);
      return nth < 3 ? { reply: { kind: 'deferred', reason: '429', retryAfterMs: 1_000 } } : {};
    });
    await send(made, 1);
    await made.untilDone();
    expect(heard).toEqual([{ text: 'number 1' }, { text: 'number 1' }, { text: 'number 1' }]);
    expect(made_).toBe(1);
  });

  test('is given the data, the target and what the delivery is', async () => {
    const seen: unknown[] = [];
    const made = world({ order: { content: (...args: unknown[]) => (seen.push(args), { text: '' }) } });
    await send(made, 1);
    await made.untilDone();
    const [record] = await made.deliveries();
    const target = {
      channel: 'email',
      to: 'p0@example.org',
      recipientId: 'p0@example.org',
      destinationId: '',
      data: {},
    };
    expect(seen).toEqual([[{ id: 'o-1', people: 1 }, target, { deliveryId: record?.id, generation: 0 }]]);
  });

  test('that is being made when the worker stops is given back at once, and charged nothing', async () => {
    const made = world({ order: { content: (_order, { to }) => (to === 'p1@example.org' ? never : { text: to }) } });
    const worker = await send(made, 3);
    await made.until('they are claimed', async () => (await made.states()).processing === 3, 2_000);
    worker.stop();
    await made.until('it has ended', () => worker.ended, 1_000);
    expect(await made.states()).toEqual({ queued: 3 });
    for (const record of await made.deliveries()) expect(record).toMatchObject({ failures: 0, leaseUntil: null });
  });

  test('that hangs for one recipient and keeps what it returns holds the others up for a while, not for good', async () => {
    const kept: { text?: string } = {};
    const content = async (_order: unknown, { to }: { to: string }) => {
      if (to === 'p1@example.org') return never;
      await made.clock.sleep(10);
      kept.text = to;
      return kept as { text: string };
    };
    const made: World = world({ order: { content } });
    await send(made, 6);
    await made.untilDone(3_600_000);
    expect(await made.states()).toEqual({ sent: 5, failed: 1 });
    for (const { to, content: got } of made.mailbox()) expect(got['text']).toBe(to);
  });
});

describe.each([true, false])('content that hangs for thirty messages that come one by one (queue: %s)', (queue) => {
  test('holds up no other type, and in the end is a dead letter', async () => {
    const made = world({ queue });
    const order = {
      class: 'transactional' as const,
      key: ({ id }: Order) => id,
      route: () => [{ channel: 'email' as const, to: 'p0@example.org' }],
    };
    const bulk = { ...order, content: () => never as Promise<{ text: string }> };
    const code = { ...order, class: 'security' as const, content: ({ id }: Order) => ({ text: id }) };
    const worker = made.start({ config: { notifications: { bulk, code } } });
    const notifier = worker.notifier as unknown as Notifier<{ bulk: typeof bulk; code: typeof code }>;
    for (let i = 0; i < 30; i += 1) {
      await notifier.publish('bulk', { id: `b-${i}`, people: 1 });
      await made.advance(300);
    }
    for (let i = 0; i < 5; i += 1) {
      const { id } = await notifier.publish('code', { id: `c-${i}`, people: 1 });
      await made.until(`code ${i} is out`, async () => (await notifier.find(id))?.state === 'done', 4_000);
      await made.advance(20_000);
    }
  });

  test('of a type that shares its function with another is compared with that one’s', async () => {
    const kept: { text?: string } = {};
    const content = async ({ id }: Order): Promise<{ text: string }> => {
      await made.clock.sleep(50);
      kept.text = id;
      return kept as { text: string };
    };
    const order = {
      class: 'transactional' as const,
      key: ({ id }: Order) => id,
      route: ({ id }: Order) => [{ channel: 'email' as const, to: `${id}@example.org` }],
      content,
    };
    const made: World = world({ queue });
    const config = { notifications: { one: order, two: order } } as never;
    const worker = made.start({ config });
    const notifier = worker.notifier as unknown as Notifier<{ one: typeof order; two: typeof order }>;
    await notifier.publish('one', { id: 'a', people: 1 });
    await notifier.publish('two', { id: 'b', people: 1 });
    await made.untilDone(60_000);
    expect(
      made
        .mailbox()
        .map(({ to, content: got }) => [to, got['text']])
        .sort(),
    ).toEqual([
      ['a@example.org', 'a'],
      ['b@example.org', 'b'],
    ]);
  });
});
