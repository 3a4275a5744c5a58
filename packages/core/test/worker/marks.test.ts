import { describe, expect, test } from 'vitest';
import { Slots } from '../../src/worker/slots.ts';
import { expectHonest } from '../support/audit.ts';
import { never } from '../support/tap.ts';
import { world, type Order } from '../support/world.ts';

const SENDS = 10;
const PEOPLE = 60;
const order = {
  class: 'transactional' as const,
  key: ({ id }: Order) => id,
  route: ({ people }: Order) =>
    Array.from({ length: people }, (_, i) => ({ channel: 'email' as const, to: `p${i}@example.org` })),
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
});
