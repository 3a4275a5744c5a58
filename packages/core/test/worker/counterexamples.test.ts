import { describe, expect, test } from 'vitest';
import type { Lease, Outcome, ReconcileRequest, SettleRequest } from '../../src/index.ts';
import { expectHonest } from '../support/audit.ts';
import { inTurn, never, type Hook } from '../support/tap.ts';
import { world, type World } from '../support/world.ts';

const taken = { taken: true, reply: { kind: 'unknown', reason: 'reset' } as Outcome };

async function publish(made: World, people = 1): Promise<void> {
  await made.notifier.publish('order', { id: 'o-1', people });
}

async function only(made: World) {
  const [record] = await made.deliveries();
  if (record === undefined) throw new Error('no delivery');
  return record;
}

/** Keeps every argument of one call, so that a late copy of it can be sent. */
function copying(on: string): { readonly hook: Hook; readonly copies: (readonly unknown[])[] } {
  const copies: (readonly unknown[])[] = [];
  const hook: Hook = (call, go) => {
    if (call.on === on) copies.push(call.args);
    return go();
  };
  return { hook, copies };
}

/** Lets a call through only after as long as this. */
const late =
  (made: World, on: string, ms: number, nth = 1): Hook =>
  async (call, go) => {
    if (call.on === on && call.nth === nth) await made.clock.sleep(ms);
    return go();
  };

/** The stories of PROTOCOL section 6 again, this time with workers, queues and providers. */
describe('a worker', () => {
  test('counterexample 1: a late copy of a claim, at any moment, changes nothing', async () => {
    for (const afterMs of [0, 1_000, 20_000, 40_000, 90_000]) {
      const made = world({ models: ['plain'] });
      made.providers[0]?.answerWith(() => ({ replyAfterMs: 30_000 }));
      const { hook, copies } = copying('ledger.claim');
      made.start({ hook });
      await publish(made);
      await made.until('it is marked', async () => (await made.states()).dispatching === 1);
      await made.advance(afterMs);
      const before = await only(made);
      for (const [selector, lease] of copies) await made.ledger.claim(selector as never, lease as Lease);
      expect(await only(made)).toEqual(before);
      await made.untilDone();
      expect(await made.states()).toEqual({ sent: 1 });
      expect(made.providers[0]?.calls()).toBe(1);
    }
  });

  test('counterexample 2: a replay that is rejected does not lead away from the first attempt', async () => {
    const made = world({ models: ['keyed', 'keyed'] });
    made.providers[0]?.answerWith(({ nth }) =>
      nth === 1 ? taken : { reply: { kind: 'rejected', scope: 'provider', reason: '401' } },
    );
    made.start();
    await publish(made);
    await made.until(
      'the replay was refused',
      async () => (await only(made).catch(() => null))?.attempts[1]?.outcome?.kind === 'rejected',
    );
    expect((await only(made)).provider).toBe('p0');
    const { id, attempts } = await only(made);
    await made.notifier.record([
      { deliveryId: id, provider: 'p0', providerMessageId: 'p0-1', kind: 'accepted', at: 0, detail: null },
    ]);
    expect(await made.states()).toEqual({ sent: 1 });
    await made.advance(600_000);
    expect(made.providers[1]?.calls()).toBe(0);
    expect((await only(made)).attempts.length).toBe(attempts.length);
  });

  test('counterexample 3: a replay that meets a closed key window is not sent', async () => {
    const made = world({ windowMs: 300_000, worker: { keyMarginMs: 120_000 } });
    made.providers[0]?.answerWith(({ nth }) => (nth === 1 ? taken : {}));
    let decided = false;
    const first = made.start({
      hook: (call, go) => {
        decided ||= call.on === 'ledger.reconcile';
        return decided && call.on === 'ledger.claim' ? never : go();
      },
    });
    await publish(made);
    await made.until('the replay is scheduled', async () => (await made.states())['retry-scheduled'] === 1);
    first.kill();
    await made.advance(180_000);
    made.start();
    await made.untilDone();
    expect(await made.states()).toEqual({ parked: 1 });
    expect(made.providers[0]?.calls()).toBe(1);
    const story = (await made.notifier.history((await only(made)).id)).map(({ to }) => to);
    expect(story.slice(-4)).toEqual(['retry-scheduled', 'processing', 'unknown', 'parked']);
  });

  test('counterexample 4: the late acceptance of the first attempt makes the declared resend the last one', async () => {
    const made = world({ models: ['plain'], order: { class: 'security' } });
    made.providers[0]?.answerWith(({ nth }) =>
      nth === 1
        ? { taken: true, thrown: new Error('reset') }
        : { replyAfterMs: 10_000, reply: { kind: 'not-sent', reason: 'refused' } },
    );
    made.start();
    await publish(made);
    await made.until('the resend is on its way', () => made.providers[0]?.calls() === 2);
    const { id, declarations } = await only(made);
    expect(declarations).toMatchObject([{ kind: 'resend', afterAttempt: 1 }]);
    await made.notifier.record([
      { deliveryId: id, provider: 'p0', providerMessageId: 'p0-1', kind: 'accepted', at: 0, detail: null },
    ]);
    await made.advance(300_000);
    expect(await only(made)).toMatchObject({ state: 'sent', attempts: [{}, {}] });
    expect(made.providers[0]?.calls()).toBe(2);
  });

  test('counterexample 5: a cancel after the mark is too late, and says so', async () => {
    const made = world();
    made.providers[0]?.answerWith(() => ({ replyAfterMs: 10_000 }));
    made.start();
    await publish(made);
    await made.until('it is marked', async () => (await made.states()).dispatching === 1);
    const { id } = await only(made);
    expect(await made.notifier.cancel([id], { by: 'ops', why: 'test' })).toEqual([
      { kind: 'too-late', state: 'dispatching' },
    ]);
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 1 });
  });

  test('counterexample 6: each attempt has its own settle time before "absent" counts', async () => {
    const made = world({ models: ['lookup'], order: { expiresInMs: 86_400_000 } });
    // Not taken the first two times: each is looked up, and believed absent only after its settle time.
    made.providers[0]?.answerWith(({ nth }) =>
      nth < 3 ? { taken: false, reply: { kind: 'unknown', reason: 'reset' } } : {},
    );
    made.start();
    await publish(made);
    await made.untilDone();
    const { attempts } = await only(made);
    expect(attempts).toHaveLength(3);
    for (const [at, attempt] of attempts.slice(1).entries())
      expect(attempt.markedAt).toBeGreaterThanOrEqual((attempts[at]?.sendDeadline ?? Infinity) + 60_000);
    await expectHonest(made, 1);
  });

  test('counterexample 7: a stale reconciler is fenced off', async () => {
    const made = world();
    made.providers[0]?.answerWith(({ nth }) => (nth <= 2 ? taken : {}));
    let stale: readonly ReconcileRequest[] | null = null;
    const slow = made.start({
      hook: async (call, go) => {
        if (call.on !== 'ledger.reconcile' || stale !== null) return go();
        stale = call.args[0] as readonly ReconcileRequest[];
        return never;
      },
    });
    await publish(made);
    await made.until('one reconciler has read it', () => stale !== null);
    slow.kill();
    made.start();
    await made.until('the next attempt is unknown too', () => made.providers[0]?.calls() === 2, 300_000);
    const before = await only(made);
    expect(before.fence).toBeGreaterThan(stale![0]!.fence);
    expect(await made.ledger.reconcile(stale!)).toMatchObject([{ kind: 'fenced' }]);
    expect((await only(made)).attempts).toEqual(before.attempts);
    await made.untilDone();
    await expectHonest(made, 1);
  });

  test('counterexample 8: a claim that a failover of the store lost is never marked beside the one after it', async () => {
    const made = world({ models: ['lookup'], undoMs: 60_000 });
    await publish(made, 3);
    const marks: unknown[] = [];
    const forgotten = made.start({
      hook: inTurn(late(made, 'ledger.claim', 20_000), async (call, go) => {
        if (call.on !== 'ledger.mark') return call.on === 'ledger.renew' ? never : go();
        await made.clock.sleep(10_000);
        marks.push(await go());
        return never;
      }),
    });
    await made.until('they are claimed', async () => (await made.states()).processing === 3);
    const lost = made.ledger.control.loseMemory({ lastMs: 5_000, quarantineMs: 90_000 });
    expect(lost.lost).toBeGreaterThan(0);
    expect(await made.states()).toEqual({ queued: 3 });
    await made.until('the forgotten one has tried to mark', () => marks.length > 0);
    expect(marks.flat()).toMatchObject([{ kind: 'fenced' }, { kind: 'fenced' }, { kind: 'fenced' }]);
    forgotten.kill();
    made.start();
    await made.untilDone(3_600_000);
    expect(await made.states()).toEqual({ sent: 3 });
    await expectHonest(made, 3);
  });

  test('counterexample 9: the replay of a parked one is called off once the first one turns out accepted', async () => {
    const made = world({ models: ['plain'] });
    let settles: readonly SettleRequest[] = [];
    const cutOff: Hook = (call, go) => {
      if (call.on !== 'ledger.settle') return go();
      settles = call.args[0] as readonly SettleRequest[];
      return never;
    };
    const lost = made.start({ hook: cutOff });
    await publish(made);
    await made.until('it is out', () => settles.length === 1);
    lost.kill();
    const other = made.start();
    await made.until('it is parked', async () => (await made.states()).parked === 1, 300_000);
    other.stop();
    await made.advance(1_000);
    const old = await only(made);
    expect(await made.notifier.replay([old.id], { by: 'ops', why: 'test' })).toMatchObject([
      { kind: 'replayed', possibleDuplicate: true },
    ]);
    expect(await made.ledger.settle(settles)).toMatchObject([{ kind: 'evidence', state: 'sent' }]);
    made.start();
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 1, cancelled: 1 });
    expect(made.mailbox()).toHaveLength(1);
  });

  test('counterexample 10: a bounce of one of two accepted messages does not hide the other', async () => {
    const made = world({ models: ['plain', 'plain'], order: { class: 'document' } });
    made.providers[0]?.answerWith(() => ({ taken: true, reply: { kind: 'unknown', reason: 'reset' } }));
    made.start();
    await publish(made);
    await made.untilDone();
    const { id } = await only(made);
    const from = (provider: string, kind: 'accepted' | 'bounced') =>
      ({ deliveryId: id, provider, providerMessageId: `${provider}-1`, kind, at: 0, detail: null }) as const;
    await made.notifier.record([from('p0', 'accepted'), from('p0', 'bounced')]);
    expect(await made.states()).toEqual({ sent: 1 });
    await made.notifier.record([from('p1', 'bounced')]);
    expect(await made.states()).toEqual({ bounced: 1 });
  });

  test('counterexample 11: what was not sent is tried again when it is due, although the queue was wiped', async () => {
    const made = world({ order: { failoverOnNotSent: false } });
    made.providers[0]?.answerWith(({ nth }) => (nth === 1 ? { reply: { kind: 'not-sent', reason: 'refused' } } : {}));
    made.start();
    await publish(made);
    await made.until('it waits', async () => (await made.states())['retry-scheduled'] === 1);
    const { dueAt } = await only(made);
    made.queue?.wipe();
    await made.until('it is sent', async () => (await made.states()).sent === 1, 60_000);
    const again = (await only(made)).attempts[1]?.markedAt ?? 0;
    expect(again).toBeGreaterThanOrEqual(dueAt);
    expect(again - dueAt).toBeLessThan(10_000);
  });
});
