import { describe, expect, test } from 'vitest';
import type { MessageContent, NotificationType, Notifier } from '../../src/index.ts';
import { memoryQueue } from '../../src/memory/index.ts';
import { expectHonest } from '../support/audit.ts';
import { never } from '../support/tap.ts';
import { world, type Order, type Process, type World } from '../support/world.ts';

const people = ({ id, people: count }: Order) =>
  Array.from({ length: count }, (_, i) => ({ channel: 'email' as const, to: `${id}-p${i}@example.org` }));
const plain = {
  class: 'transactional' as const,
  key: ({ id }: Order) => id,
  route: people,
  content: (_order: Order, { to }: { to: string }): MessageContent => ({ text: to }),
};

type Two = { bulk: NotificationType<Order>; other: NotificationType<Order> };

/** A worker that knows two types of one class, of which `bulk` has this content. */
function start(
  made: World,
  content: () => Promise<MessageContent>,
  options: Parameters<World['start']>[0] = {},
): Process & { readonly publishes: Notifier<Two> } {
  const config = { notifications: { bulk: { ...plain, content }, other: plain } } as never;
  const worker = made.start({ ...options, config });
  return Object.assign(Object.create(worker) as Process, { publishes: worker.notifier as unknown as Notifier<Two> });
}

async function isOut(made: World, notifier: Notifier<Two>, id: string, withinMs: number): Promise<void> {
  const order = await notifier.publish('other', { id, people: 1 });
  await made.until(`${id} is out`, async () => (await notifier.find(order.id))?.state === 'done', withinMs);
}

const hangs = (): Promise<MessageContent> => never;

describe.each([true, false])('content that is stuck (queue: %s)', (queue) => {
  test.each([{ bulk: 60 }, { bulk: 1_000 }])('for $bulk due messages holds up no other type', async ({ bulk }) => {
    const made = world({ queue });
    const { publishes } = start(made, hangs);
    await publishes.publish('bulk', { id: 'b', people: bulk });
    await made.advance(2_000);
    for (let i = 0; i < 5; i += 1) {
      // Until it shows that nothing comes of it, it may have what it asked for.
      await isOut(made, publishes, `o-${i}`, i === 0 ? 7_000 : 4_000);
      await made.advance(15_000);
    }
  });

  test('for forty that a crash left behind holds up no other that it left behind', async () => {
    const made = world({ queue });
    const first = start(made, hangs, { hook: (call, go) => (call.on === 'ledger.mark' ? never : go()) });
    await first.publishes.publish('bulk', { id: 'b', people: 40 });
    const other = await first.publishes.publish('other', { id: 'o', people: 5 });
    await made.until('all are claimed', async () => (await made.states()).processing === 45, 5_000);
    first.kill();
    const second = start(made, hangs);
    const isDone = async () => (await second.publishes.find(other.id))?.state === 'done';
    await made.until('the others are sent', isDone, 90_000);
  });

  test('is said to be no progress, when there is no other', async () => {
    const made = world({ queue });
    const worker = start(made, hangs, { worker: { leaseMs: 600_000 } });
    await worker.publishes.publish('bulk', { id: 'b', people: 30 });
    await made.advance(30_000);
    expect(worker.healthy).toBe(true);
    await made.advance(100_000);
    expect(worker.healthy).toBe(false);
    expect(worker.events.filter(({ kind }) => kind === 'worker.no-progress')).toMatchObject([{ waiting: 30 }]);
  });

  test('is sent once each when it comes at last, never more at a time than there are slots', async () => {
    const made = world({ queue });
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    let sending = 0;
    let most = 0;
    const worker = start(made, async () => (await gate, { text: 'at last' }), {
      worker: { concurrency: 10, batch: 10 },
      hook: async (call, go) => {
        if (!call.on.startsWith('p0.send')) return go();
        sending += 1;
        most = Math.max(most, sending);
        await made.clock.sleep(300);
        sending -= 1;
        return go();
      },
    });
    await worker.publishes.publish('bulk', { id: 'b', people: 60 });
    await isOut(made, worker.publishes, 'o', 12_000);
    open();
    await made.untilDone(120_000);
    expect(most).toBe(10);
    await expectHonest(made, 61);
  });

  test('is given back at once when the worker stops', async () => {
    const made = world({ queue });
    const worker = start(made, hangs);
    await worker.publishes.publish('bulk', { id: 'b', people: 200 });
    await made.advance(20_000);
    worker.stop();
    await made.until('it has ended', () => worker.ended, 1_000);
    expect((await made.deliveries()).filter(({ leaseUntil }) => leaseUntil !== null)).toEqual([]);
    expect((await made.deliveries()).map(({ failures }) => failures)).toEqual(Array(200).fill(0));
  });

  test('and waits on for it is told once, not each time', async () => {
    const made = world({ queue });
    const worker = start(made, hangs);
    await worker.publishes.publish('bulk', { id: 'b', people: 300 });
    await made.advance(290_000);
    const waits = worker.events.filter(
      (event) => event.kind === 'delivery.moved' && /takes its time/.test(event.reason ?? ''),
    );
    expect(waits.length).toBeGreaterThan(100);
    expect(waits.length).toBeLessThanOrEqual(300 * 2);
  });
});

test('content that is slow, batch after batch, is never put off', async () => {
  const made: World = world({ queue: false });
  const worker = start(made, async () => (await made.clock.sleep(2_000), { text: 'slow' }), {
    worker: { concurrency: 200 },
  });
  await worker.publishes.publish('bulk', { id: 'b', people: 1_000 });
  await made.untilDone(120_000);
  expect(worker.events.filter((event) => event.kind === 'delivery.moved' && event.to === 'queued')).toEqual([]);
  await expectHonest(made, 1_000);
});

describe.each([true, false])('stuck content of one notifier (queue: %s)', (queue) => {
  test('that another worker waits for does not hold up the stop of this one', async () => {
    const made = world({ queue });
    const first = start(made, hangs, { worker: { concurrency: 5 } });
    await first.publishes.publish('bulk', { id: 'b', people: 30 });
    await made.advance(2_000);
    const stopping = new AbortController();
    let ended = false;
    void first.notifier
      .worker({ concurrency: 5, name: 'second' })
      .run({ signal: stopping.signal })
      .then(() => (ended = true));
    await made.advance(3_000);
    stopping.abort();
    await made.until('it has ended', () => ended, 500);
    const held = (await made.deliveries()).filter(
      ({ owner, leaseUntil }) => leaseUntil !== null && /second/.test(owner ?? ''),
    );
    expect(held).toEqual([]);
  });

  test('that comes one by one is not kept beyond its expiry', async () => {
    const made = world({ queue });
    const content = hangs;
    const code = { ...plain, class: 'security' as const, content };
    const worker = made.start({ config: { notifications: { code } } });
    const notifier = worker.notifier as unknown as Notifier<{ code: typeof code }>;
    for (let i = 0; i < 60; i += 1) {
      await notifier.publish('code', { id: `c-${i}`, people: 1 });
      await made.advance(400);
    }
    // Five minutes, and what two batches of its function may take.
    await made.untilDone(300_000 + 2 * 30_000 + 10_000);
    expect(made.mailbox()).toEqual([]);
  });
});

test.each([1, 5])(
  'fifty types whose content is stuck hold another up for half a minute at most (slots: %d)',
  async (concurrency) => {
    const made = world({ queue: false });
    const stuck = Array.from({ length: 50 }, (_, i) => [`t${i}`, { ...plain, content: () => hangs() }]);
    const config = { notifications: { ...Object.fromEntries(stuck), other: plain } } as never;
    const worker = made.start({ config, worker: { concurrency } });
    const notifier = worker.notifier as unknown as Notifier<Two>;
    for (let i = 0; i < 50; i += 1) await notifier.publish(`t${i}` as 'bulk', { id: `s-${i}`, people: 5 });
    await made.advance(1_000);
    await isOut(made, notifier, 'o', 30_000);
  },
);

test('a receive that brings more than there are slots for by now exceeds no limit', async () => {
  const made = world();
  const events = memoryQueue({ clock: made.clock });
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let sending = 0;
  let most = 0;
  const bulk = { ...plain, content: async () => (await gate, { text: 'at last' }) };
  const worker = made.start({
    config: { eventsQueue: events, notifications: { bulk, other: plain } },
    worker: { concurrency: 10, batch: 10, waitMs: 20_000 },
    hook: async (call, go) => {
      if (call.on !== 'p0.send') return go();
      sending += 1;
      most = Math.max(most, sending);
      await made.clock.sleep(5_000);
      sending -= 1;
      return go();
    },
  });
  const notifier = worker.notifier as unknown as Notifier<Two>;
  await notifier.publish('bulk', { id: 'b', people: 10 });
  await made.advance(8_000);
  open();
  await notifier.publish('other', { id: 'o', people: 10 });
  await made.untilDone(120_000);
  expect(most).toBe(10);
  await expectHonest(made, 20);
});
