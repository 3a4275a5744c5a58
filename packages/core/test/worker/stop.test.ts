import { describe, expect, test } from 'vitest';
import { expectHonest } from '../support/audit.ts';
import { scripted } from '../support/providers.ts';
import { inTurn, never, type Hook } from '../support/tap.ts';
import { world, type World } from '../support/world.ts';

async function publish(made: World, people: number): Promise<void> {
  await made.notifier.publish('order', { id: 'o-1', people });
}

describe('a worker that is asked to stop', () => {
  test('does so at once where it has nothing to do', async () => {
    const made = world();
    const worker = made.start();
    await made.advance(5_000);
    worker.stop();
    await made.advance(0);
    expect(worker.ended).toBe(true);
  });

  test('that was asked before it began does nothing', async () => {
    const made = world();
    await publish(made, 1);
    const stop = new AbortController();
    stop.abort();
    await made.notifier.worker().run({ signal: stop.signal });
    expect((await made.notifier.status()).notifications.accepted).toBe(1);
  });

  test('lets marked sends finish and writes what came of them', async () => {
    const made = world();
    made.providers[0]?.answerWith(() => ({ replyAfterMs: 5_000 }));
    const worker = made.start();
    await publish(made, 3);
    await made.until('they are on their way', async () => (await made.states()).dispatching === 3);
    worker.stop();
    await made.advance(3_000);
    expect(worker.ended).toBe(false);
    await made.advance(2_000);
    expect(worker.ended).toBe(true);
    expect(await made.states()).toEqual({ sent: 3 });
    expect(await made.queue?.depth()).toBe(0);
  });

  test('does not wait for them longer than its grace period; what is left becomes unknown, never a retry', async () => {
    const made = world();
    made.providers[0]?.answerWith(({ nth }) => (nth === 1 ? { replyAfterMs: 50_000 } : {}));
    const worker = made.start({ worker: { graceMs: 2_000 } });
    await publish(made, 3);
    await made.until('they are on their way', async () => (await made.states()).dispatching === 3);
    worker.stop();
    await made.advance(2_000);
    expect(worker.ended).toBe(true);
    expect(await made.states()).toEqual({ dispatching: 3 });
    worker.kill();
    made.start();
    await made.advance(55_000);
    expect(made.providers[0]?.calls()).toBe(3);
    await made.untilDone();
    await expectHonest(made, 3);
    const [record] = await made.deliveries();
    const story = (await made.notifier.history(record?.id ?? '')).map(({ to }) => to);
    expect(story.slice(2)).toEqual(['dispatching', 'unknown', 'retry-scheduled', 'processing', 'dispatching', 'sent']);
  });

  test('gives unmarked work back at once: another one does not wait for the lease', async () => {
    const made = world();
    await publish(made, 5);
    const gate: { open?: () => void } = {};
    const slowClaim: Hook = async (call, go) => {
      const answer = await go();
      if (call.on === 'ledger.claim' && Array.isArray(answer) && answer.length > 0)
        await new Promise<void>((resolve) => (gate.open = resolve));
      return answer;
    };
    const worker = made.start({ hook: slowClaim });
    await made.until('it has claimed', () => gate.open !== undefined);
    worker.stop();
    gate.open?.();
    await made.advance(0);
    expect(worker.ended).toBe(true);
    expect(await made.states()).toEqual({ queued: 5 });
    expect((await made.deliveries()).map(({ lapses }) => lapses)).toEqual([0, 0, 0, 0, 0]);
    made.start();
    await made.untilDone(5_000);
    await expectHonest(made, 5);
  });

  test('gives the notifications back that it was expanding', async () => {
    const made = world();
    await publish(made, 500);
    const worker = made.start({ worker: { chunk: 10, concurrency: 2, batch: 1 } });
    await made.until('it is half-way', async () => (await made.deliveries()).length >= 40);
    worker.stop();
    await made.until('it has ended', () => worker.ended, 10_000);
    const { items } = await made.ledger.listNotifications({ states: ['expanding'] });
    expect(items).toMatchObject([{ leaseUntil: null, owner: null }]);
    made.start();
    await made.untilDone(60_000);
    await expectHonest(made, 500);
  });

  test('does not wait for a call that was given up long ago', async () => {
    const made = world({ models: ['plain'], queue: false });
    let isFirst = true;
    const worker = made.start({
      hook: (call, go) => {
        if (call.on !== 'p0.send' || !isFirst) return go();
        isFirst = false;
        return never;
      },
    });
    await made.notifier.publish('order', { id: 'o-1', people: 3 });
    await made.advance(3_600_000);
    worker.stop();
    await made.until('it has ended', () => worker.ended, 500);
  });

  test('takes nothing new', async () => {
    const made = world();
    const hangs = scripted(made.clock, async () => never);
    const worker = made.start({ config: { channels: { email: { providers: [hangs] } } }, worker: { graceMs: 30_000 } });
    await publish(made, 1);
    await made.until('it sends', () => hangs.sent.length === 1);
    worker.stop();
    await made.notifier.publish('order', { id: 'o-2', people: 1 });
    await made.advance(20_000);
    expect(hangs.sent).toHaveLength(1);
    expect((await made.notifier.status()).notifications.accepted).toBe(1);
  });

  test('ends although the ledger is out of reach', async () => {
    const made = world();
    let down = false;
    const worker = made.start({
      hook: async (call, go) => (down && call.on.startsWith('ledger.') ? Promise.reject(new Error('down')) : go()),
    });
    await publish(made, 3);
    await made.advance(5_000);
    down = true;
    await made.advance(5_000);
    worker.stop();
    await made.advance(15_000);
    expect(worker.ended).toBe(true);
  });

  test('ends within its grace period although a port does not answer any more', async () => {
    const made = world();
    let hung = false;
    const hang: Hook = (call, go) => (hung && !call.on.startsWith('clock.') ? never : go());
    const worker = made.start({ hook: inTurn(hang) });
    await publish(made, 3);
    await made.advance(5_000);
    hung = true;
    await made.advance(5_000);
    worker.stop();
    await made.advance(10_000);
    expect(worker.ended).toBe(true);
  });
});
