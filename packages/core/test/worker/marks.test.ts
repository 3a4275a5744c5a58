import { describe, expect, test } from 'vitest';
import type { NotificationType, Notifier, Provider } from '../../src/index.ts';
import { Slots } from '../../src/worker/slots.ts';
import { expectHonest } from '../support/audit.ts';
import { scripted } from '../support/providers.ts';
import { never } from '../support/tap.ts';
import { world, type Order, type World } from '../support/world.ts';

const SENDS = 10;
const PEOPLE = 60;
const order = {
  class: 'transactional' as const,
  key: ({ id }: Order) => id,
  route: ({ id, people }: Order) =>
    Array.from({ length: people }, (_, i) => ({ channel: 'email' as const, to: `p${i}-of-${id}@example.org` })),
  content: () => ({ text: 'hello' }),
};

/** A worker of ten sends whose outcomes cannot be written until `open`. */
async function unsettled(queue: boolean, settle: () => Promise<unknown>) {
  const made = world({ queue });
  const provider = { calls: 0 };
  const worker = made.start({
    config: { notifications: { order } },
    worker: { concurrency: SENDS, batch: SENDS },
    hook: async (call, go) => {
      if (call.on === 'ledger.settle') await settle();
      if (call.on.startsWith('p0.send')) provider.calls += 1;
      return go();
    },
  });
  await worker.notifier.publish('order', { id: 'o', people: PEOPLE });
  return { made, worker, provider };
}

describe.each([true, false])('while outcomes cannot be written (queue: %s)', (queue) => {
  test('the next are claimed, and no more are sent than may be in doubt', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const { made, provider } = await unsettled(queue, () => gate);
    await made.advance(3_000);
    const { dispatching, processing } = await made.states();
    expect({ calls: provider.calls, dispatching, processing }).toEqual({
      calls: SENDS,
      dispatching: SENDS,
      processing: SENDS,
    });
    open();
    await made.untilDone(60_000);
    await expectHonest(made, PEOPLE);
  });

  test('a process that dies leaves no more in doubt than it has sends', async () => {
    const { made, worker } = await unsettled(queue, () => never);
    await made.advance(3_000);
    worker.kill();
    await made.advance(200_000);
    const { unknown, dispatching } = await made.states();
    expect((unknown ?? 0) + (dispatching ?? 0)).toBe(SENDS);
  });
});

const sound = (made: World) =>
  scripted(made.clock, (nth) => Promise.resolve({ kind: 'accepted', providerMessageId: `m-${nth}` }));

// While one half of what was claimed together meets a fault, the other waits: for its content, or for a slot once that has come.
test.each([3_000, 20_000])('a fault beside content that takes %d ms costs no slot and no mark', async (contentMs) => {
  const made = world({ queue: false });
  let isBroken = false;
  const provider = sound(made);
  const faulty: Provider = {
    ...provider,
    get capabilities() {
      if (isBroken) throw new Error('a bug');
      return provider.capabilities;
    },
  };
  const late = { ...order, content: async () => (await made.clock.sleep(contentMs), { text: 'late' }) };
  const worker = made.start({
    worker: { concurrency: 4, batch: 4 },
    config: { channels: { email: { providers: [faulty] } }, notifications: { order, late } },
  });
  const publishes = worker.notifier as unknown as Notifier<{
    order: NotificationType<Order>;
    late: NotificationType<Order>;
  }>;
  for (let round = 0; round < 6; round += 1) {
    isBroken = true;
    await Promise.all([
      publishes.publish('late', { id: `l-${round}`, people: 1 }),
      publishes.publish('order', { id: `o-${round}`, people: 1 }),
    ]);
    await made.advance(2_500);
    isBroken = false;
    await made.untilDone(400_000);
  }
  expect(await made.states()).toMatchObject({ sent: 12 });
});

describe('slots', () => {
  const signal = new AbortController().signal;

  test('are taken back all at once, when so many are wanted', async () => {
    const slots = new Slots(10);
    slots.take(8);
    const all = slots.takeBack({ least: 4, most: 4 }, signal);
    slots.give(1);
    // What is new waits behind it.
    expect(slots.free).toBe(0);
    slots.give(1);
    expect(await all).toBe(4);
    expect(slots.free).toBe(0);
  });

  test('are taken back as they come, when any will do', async () => {
    const slots = new Slots(10);
    slots.take(10);
    const some = slots.takeBack({ least: 1, most: 4 }, signal);
    slots.give(2);
    expect(await some).toBe(2);
  });

  test('wake nobody for fewer than anybody waits for', async () => {
    const slots = new Slots(10);
    slots.take(10);
    const seen: number[] = [];
    const waits = [3, 5].map(async (least) => {
      while (slots.free < least) await slots.changed(least);
      seen.push(least);
    });
    slots.give(2);
    await Promise.resolve();
    expect(seen).toEqual([]);
    slots.give(3);
    await Promise.all(waits);
    expect(seen).toEqual([3, 5]);
  });

  test('are none for who waits, once the worker stops', async () => {
    const slots = new Slots(1);
    slots.take(1);
    const stop = new AbortController();
    const some = slots.takeBack({ least: 1, most: 1 }, stop.signal);
    stop.abort();
    slots.wake();
    expect(await some).toBe(0);
  });

  test('a batch of many is not kept from its marks by others that are smaller', async () => {
    const slots = new Slots(10);
    const order: string[] = [];
    slots.take(10);
    const many = slots.takeBack({ least: 8, most: 8 }, signal).then(() => order.push('many'));
    const few = slots.takeBack({ least: 1, most: 1 }, signal).then(() => order.push('few'));
    for (let given = 0; given < 9; given += 1) {
      slots.give(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all([many, few]);
    expect(order).toEqual(['many', 'few']);
  });
});
