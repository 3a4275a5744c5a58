import { describe, expect, test } from 'vitest';
import type { NotifierConfig, Outcome } from '../../src/index.ts';
import { expectHonest } from '../support/audit.ts';
import { never, type Hook } from '../support/tap.ts';
import { world, type World } from '../support/world.ts';

const notSent: Outcome = { kind: 'not-sent', reason: 'connection refused' };
const cannot: Outcome = { kind: 'rejected', scope: 'provider', reason: 'invalid API key' };
const bad: Outcome = { kind: 'rejected', scope: 'message', reason: 'too large' };
const deferred = (retryAfterMs?: number): Outcome => ({
  kind: 'deferred',
  reason: '429',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

async function send(made: World, people = 2): Promise<ReturnType<World['start']>> {
  const worker = made.start();
  await made.notifier.publish('order', { id: 'o-1', people });
  return worker;
}

describe('a delivery', () => {
  test.each([
    { what: 'was not sent', outcome: notSent },
    { what: 'met a provider that cannot', outcome: cannot },
  ])('that $what goes to the next provider at once', async ({ outcome }) => {
    const made = world({ models: ['keyed', 'keyed'] });
    made.providers[0]?.answerWith(() => ({ reply: outcome }));
    const worker = await send(made);
    await made.untilDone(5_000);
    expect(made.providers[1]?.mailbox).toHaveLength(2);
    await expectHonest(made, 2);
    const failover = { kind: 'delivery.failover', from: 'p0', to: 'p1', declared: false };
    expect(worker.events).toContainEqual(expect.objectContaining(failover));
    await made.until('the alert is out', () => made.alerts.length > 0, 30_000);
    expect(made.alerts).toMatchObject([{ kind: 'failover', count: 2, next: 'notifier.status()' }]);
  });

  test('that was not sent stays with its provider where the type says so', async () => {
    const made = world({ models: ['keyed', 'keyed'], order: { failoverOnNotSent: false } });
    made.providers[0]?.answerWith(({ nth }) => (nth === 1 ? { reply: notSent } : {}));
    await send(made);
    await made.untilDone();
    expect(made.providers.map(({ mailbox }) => mailbox.length)).toEqual([2, 0]);
  });

  test('never goes to another provider after an unknown outcome, unless its class says so', async () => {
    const made = world({ models: ['plain', 'plain'] });
    made.providers[0]?.answerWith(() => ({ taken: true, reply: { kind: 'unknown', reason: 'timeout' } }));
    await send(made);
    await made.untilDone();
    expect(await made.states()).toEqual({ parked: 2 });
    expect(made.providers.map(({ mailbox }) => mailbox.length)).toEqual([2, 0]);
  });

  test('of a document goes to another provider after an unknown outcome, declared before it does', async () => {
    const made = world({ models: ['plain', 'plain'], order: { class: 'document' } });
    made.providers[0]?.answerWith(() => ({ taken: true, reply: { kind: 'unknown', reason: 'timeout' } }));
    const worker = await send(made);
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 2 });
    const [record] = await made.deliveries();
    expect(record?.declarations).toMatchObject([{ kind: 'failover', provider: 'p1', afterAttempt: 1 }]);
    expect(record?.attempts[1]?.markedAt).toBeGreaterThanOrEqual(record?.declarations[0]?.at ?? Infinity);
    expect(worker.events).toContainEqual(expect.objectContaining({ kind: 'delivery.failover', declared: true }));
    await expectHonest(made, 2);
  });

  test('that is deferred waits as long as the provider asked, again and again longer, and is not charged for it', async () => {
    const made = world({ order: { retry: { schedule: [1_000, 10_000, 120_000, 240_000] } } });
    made.providers[0]?.answerWith(({ nth }) => (nth <= 5 ? { reply: deferred(60_000) } : {}));
    await send(made, 1);
    await made.untilDone(1_800_000);
    const [record] = await made.deliveries();
    expect(record).toMatchObject({ state: 'sent', charged: 1 });
    const at = record?.attempts.map(({ markedAt }) => markedAt) ?? [];
    expect(at).toHaveLength(6);
    const gaps = at.slice(1).map((each, i) => each - (at[i] ?? 0));
    for (const [i, least] of [60_000, 60_000, 60_000, 120_000, 120_000].entries())
      expect(gaps[i]).toBeGreaterThanOrEqual(least);
    expect(gaps[0]).toBeLessThan(62_000);
  });

  test('that is deferred without end expires, and says why', async () => {
    const made = world({ order: { expiresInMs: 600_000 } });
    made.providers[0]?.answerWith(() => ({ reply: deferred(45_000) }));
    await send(made, 1);
    await made.untilDone(700_000);
    expect(await made.deliveries()).toMatchObject([{ state: 'expired', charged: 0, reason: '429' }]);
  });

  test('that is rejected for its message fails at once, with the reason', async () => {
    const made = world({ models: ['keyed', 'keyed'] });
    made.providers[0]?.answerWith(() => ({ reply: bad }));
    await send(made);
    await made.untilDone(5_000);
    expect(await made.states()).toEqual({ failed: 2 });
    expect(await made.deliveries()).toMatchObject([{ reason: 'too large' }, { reason: 'too large' }]);
    expect(made.providers[1]?.calls()).toBe(0);
    await made.until('the alert is out', () => made.alerts.length > 0, 30_000);
    expect(made.alerts).toMatchObject([{ kind: 'dead-letter', count: 2 }]);
  });

  test('whose attempts are spent is dead, after as many as allowed and with growing waits', async () => {
    const made = world({ order: { maxAttempts: 3, retry: { schedule: [1_000, 10_000, 100_000] } } });
    made.providers[0]?.answerWith(() => ({ reply: notSent }));
    await send(made, 1);
    await made.untilDone();
    const [record] = await made.deliveries();
    expect(record).toMatchObject({ state: 'dead', charged: 3, reason: 'attempts spent (3): connection refused' });
    const [a, b, c] = record?.attempts.map(({ markedAt }) => markedAt) ?? [];
    expect((b ?? 0) - (a ?? 0)).toBeGreaterThanOrEqual(500);
    expect((c ?? 0) - (b ?? 0)).toBeGreaterThanOrEqual(5_000);
  });

  test('between two dead providers waits between rounds instead of playing ping-pong', async () => {
    const made = world({ models: ['keyed', 'keyed'], order: { maxAttempts: 5, retry: { schedule: [10_000] } } });
    for (const provider of made.providers) provider.answerWith(() => ({ reply: notSent }));
    await send(made, 1);
    await made.untilDone();
    const [record] = await made.deliveries();
    expect(record?.attempts.map(({ provider }) => provider)).toEqual(['p0', 'p1', 'p0', 'p1', 'p0']);
    const spanMs = (record?.attempts.at(-1)?.markedAt ?? 0) - (record?.attempts[0]?.markedAt ?? 0);
    expect(spanMs).toBeGreaterThanOrEqual(15_000);
  });

  test('that a provider keeps deferring with no wait at all is not tried in a hot loop', async () => {
    const made = world({ order: { expiresInMs: 60_000 } });
    made.providers[0]?.answerWith(() => ({ reply: deferred(0) }));
    await send(made, 1);
    await made.untilDone(70_000);
    expect(made.providers[0]?.calls()).toBeLessThan(30);
  });
});

describe('a provider that is not in the config any more', () => {
  test('lets its deliveries wait, visibly, and has them sent when it is back', async () => {
    const made = world({ models: ['keyed', 'keyed'], order: { failoverOnNotSent: false } });
    made.providers[0]?.answerWith(({ nth }) => (nth === 1 ? { reply: notSent } : {}));
    const before = await send(made, 1);
    await made.until('it waits for a retry', async () => (await made.states())['retry-scheduled'] === 1);
    before.stop();
    const [, p1] = made.providers;
    const without = made.start({ config: { channels: { email: { providers: p1 === undefined ? [] : [p1] } } } });
    await made.advance(600_000);
    expect(await made.states()).toEqual({ 'retry-scheduled': 1 });
    const reason = "provider 'p0' is not in this worker's config";
    expect(without.events).toContainEqual(
      expect.objectContaining({ kind: 'delivery.moved', to: 'retry-scheduled', reason }),
    );
    without.stop();
    made.start();
    await made.untilDone();
    expect(made.providers.map(({ mailbox }) => mailbox.length)).toEqual([1, 0]);
  });
});

describe('a delivery of unknown outcome', () => {
  const lost: Outcome = { kind: 'unknown', reason: 'reset' };

  async function lostAt(made: World): Promise<void> {
    made.providers[0]?.answerWith(({ nth }) => (nth === 1 ? { taken: true, reply: lost } : {}));
    const first = made.start({ worker: { stages: ['decide', 'deliver'] }, hook: idleReconciler });
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.until('it is unknown', async () => (await made.states()).unknown === 1);
    first.kill();
  }
  const idleReconciler: Hook = async (call, go) => (call.on === 'ledger.sweep' ? never : go());

  test.each<[what: string, config: (made: World) => Partial<NotifierConfig>, reason: string]>([
    [
      'provider',
      ({ providers }) => ({ channels: { email: { providers: providers.slice(1) } } }),
      "provider 'p0' is not in this worker's config",
    ],
    [
      'channel',
      ({ providers }) => ({ channels: { sms: { providers: providers.slice(1) } } }),
      "provider 'p0' is not in this worker's config",
    ],
    [
      'type',
      () => ({ notifications: { other: { class: 'legal', content: () => ({}) } } }),
      "type 'order' is not in this worker's config",
    ],
  ])('waits, visibly, while the only worker does not know its %s', async (_what, config, reason) => {
    const made = world({ models: ['plain', 'keyed'], order: { class: 'document' } });
    await lostAt(made);
    const old = made.start({ config: config(made) });
    await made.advance(3_600_000);
    expect(await made.states()).toEqual({ unknown: 1 });
    expect(old.events).toContainEqual(expect.objectContaining({ kind: 'delivery.moved', to: 'unknown', reason }));
    old.stop();
    made.start();
    await made.untilDone();
    expect(await made.deliveries()).toMatchObject([{ state: 'sent', declarations: [{ kind: 'failover' }] }]);
  });

  test('is settled once it has expired, whoever knows its provider', async () => {
    const made = world({ models: ['plain', 'keyed'], order: { expiresInMs: 3_600_000 } });
    await lostAt(made);
    made.start({ config: { channels: { email: { providers: made.providers.slice(1) } } } });
    await made.untilDone(3_700_000);
    expect(await made.deliveries()).toMatchObject([{ state: 'parked', reason: 'expired while an attempt was open' }]);
    expect(made.providers[1]?.calls()).toBe(0);
  });
});
