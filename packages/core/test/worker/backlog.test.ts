import { describe, expect, test } from 'vitest';
import { expectHonest } from '../support/audit.ts';
import { scripted } from '../support/providers.ts';
import { memoryQueue } from '../../src/memory/index.ts';
import { never } from '../support/tap.ts';
import { world } from '../support/world.ts';
import { Backlog } from '../../src/worker/backlog.ts';

describe('a backlog', () => {
  test('has room for a few pages, and again when the intake found less than fitted', () => {
    const backlog = new Backlog({ pageSize: 100, isBounded: true });
    let rooms = 0;
    backlog.onRoom = () => (rooms += 1);
    backlog.added(3);
    expect(backlog.hasRoom).toBe(true);
    backlog.added(1);
    expect(backlog.hasRoom).toBe(false);
    backlog.seen(50, true);
    expect(backlog.hasRoom).toBe(false);
    backlog.seen(49, false);
    expect([backlog.hasRoom, rooms]).toEqual([true, 1]);
  });

  test('lets twenty pages stand regardless, and one more for each that is taken up', () => {
    const backlog = new Backlog({ pageSize: 100, isBounded: true });
    expect(backlog.regardless).toBe(20);
    backlog.added(20);
    expect(backlog.regardless).toBe(0);
    for (let i = 0; i < 4; i += 1) backlog.seen(50, true);
    expect(backlog.regardless).toBe(2);
  });
});

describe.each([{ queue: true }, { queue: false }])('large notifications (queue: $queue)', ({ queue }) => {
  const worker = { concurrency: 10, batch: 10, chunk: 10 };

  test.each([1, 5, 30])(
    'of which there are %d are not expanded far ahead of a provider that answers nobody',
    async (count) => {
      const made = world({ queue, worker });
      const provider = scripted(made.clock, async () => never);
      made.start({
        config: { channels: { email: { providers: [provider] } } },
        worker: { dispatchMs: 3_600_000, keyMarginMs: 7_200_000 },
      });
      for (let i = 0; i < count; i += 1) await made.notifier.publish('order', { id: `o-${i}`, people: 5_000 });
      await made.advance(600_000);
      // The limit of twenty, and the first page of each, which never waits; one round may be on its way.
      const pages = (await made.deliveries()).length / worker.chunk;
      expect(pages).toBeLessThanOrEqual(20 + 2 * count + 4);
      expect(provider.sent).toHaveLength(10);
    },
  );

  test('are told to the end under a load that never lets up', async () => {
    const made = world({ queue, worker });
    made.providers[0]?.answerWith(() => ({ replyAfterMs: 100 }));
    made.start();
    await made.notifier.publish('order', { id: 'big', people: 1_000 });
    for (let i = 0; i < 300; i += 1) {
      const recipients = Array.from({ length: 8 }, (_, j) => ({
        channel: 'email' as const,
        to: `s${i}-${j}@example.org`,
      }));
      await made.notifier.publish('order', { id: `small-${i}`, people: 0 }, { recipients });
      await made.advance(100);
    }
    await made.untilDone();
    await expectHonest(made, 1_000 + 300 * 8);
  });
});

describe('a worker that only decides', () => {
  test.each([true, false])('has no backlog of its own to wait for (queue: %s)', async (queue) => {
    const made = world({ queue, ...(queue ? { config: {} } : {}) });
    const queues = queue ? { eventsQueue: memoryQueue({ clock: made.clock }) } : {};
    const config = { config: queues };
    made.start({ ...config, worker: { stages: ['decide'], chunk: 10 } });
    made.start({ ...config, worker: { stages: ['deliver'], chunk: 10 } });
    await made.notifier.publish('order', { id: 'o-1', people: 1_000 });
    await made.untilDone(120_000);
    expect(await made.states()).toEqual({ sent: 1_000 });
  });
});
