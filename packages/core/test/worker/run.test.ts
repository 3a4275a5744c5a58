import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/index.ts';
import { world } from '../support/world.ts';

const running = (): AbortController => new AbortController();

describe('a worker', () => {
  test('that is run twice refuses the second time, and the first goes on', async () => {
    const made = world();
    const stop = running();
    const worker = made.notifier.worker();
    const first = worker.run({ signal: stop.signal });
    await expect(worker.run({ signal: stop.signal })).rejects.toMatchObject({
      code: 'WORKER_USED',
      message: expect.stringMatching(/runs once.*notifier\.worker\(\)/),
    });
    await made.notifier.publish('order', { id: 'o-1', people: 2 });
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 2 });
    stop.abort();
    await made.advance(0);
    await first;
  });

  test.each(['while it runs', 'after it has stopped', 'after it was stopped before it began'])(
    'runs once: %s',
    async (when) => {
      const made = world();
      const stop = running();
      const worker = made.notifier.worker();
      if (when.endsWith('began')) stop.abort();
      const first = worker.run({ signal: stop.signal });
      if (when.startsWith('after')) {
        stop.abort();
        await made.advance(0);
        await first;
      }
      await expect(worker.run({ signal: running().signal })).rejects.toMatchObject({ code: 'WORKER_USED' });
    },
  );

  test('that is stopped twice stops once', async () => {
    const made = world();
    const worker = made.start();
    await made.advance(1_000);
    worker.stop();
    worker.stop();
    await made.advance(0);
    expect(worker.ended).toBe(true);
    worker.stop();
  });

  test.each([undefined, null, {}, { signal: null }, { signal: 'stop' }, { signal: { aborted: false } }])(
    'needs a signal that can stop it, got %o; and may then be run with one',
    async (options) => {
      const made = world();
      const worker = made.notifier.worker();
      await expect(worker.run(options as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
      const stop = running();
      stop.abort();
      await worker.run({ signal: stop.signal });
    },
  );

  test('one of whose loops dies stops the others, is not healthy, and says what it died of', async () => {
    const made = world();
    let broken = false;
    // A clock must not reject: nothing in the worker waits for that.
    const clock: Clock = {
      now: () => made.clock.now(),
      monotonic: () => made.clock.monotonic(),
      sleep: (ms, signal) => (broken ? Promise.reject(new Error('no timers left')) : made.clock.sleep(ms, signal)),
    };
    const { createNotifier } = await import('../../src/index.ts');
    const notifier = createNotifier({
      ledger: made.ledger,
      channels: { email: { providers: made.providers } },
      notifications: { order: { class: 'legal', content: () => ({}) } },
      clock,
    });
    const worker = notifier.worker();
    const run = worker.run({ signal: running().signal });
    await made.advance(2_000);
    expect(worker.healthy()).toBe(true);
    broken = true;
    const died = expect(run).rejects.toThrow('no timers left');
    await made.advance(60_000);
    await died;
    expect(worker.healthy()).toBe(false);
  });

  test.each([
    { maxBatch: 0, maxDelayMs: 0 },
    { maxBatch: NaN, maxDelayMs: 0 },
    { maxBatch: 1.5, maxDelayMs: 0 },
    { maxBatch: '10', maxDelayMs: 0 },
    { maxBatch: 10, maxDelayMs: -1 },
    { maxBatch: 10, maxDelayMs: NaN },
    { maxBatch: 10, maxDelayMs: undefined },
  ])('refuses a queue that no loop can work with: %o', (capabilities) => {
    const made = world();
    const queue = { ...made.queue, capabilities };
    expect(() => made.start({ config: { queue: queue as never } })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });
});
