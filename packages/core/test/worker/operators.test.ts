import { describe, expect, test } from 'vitest';
import type { BlockRequest, DeliveryRecord, SuppressRequest } from '../../src/index.ts';
import { memoryProvider } from '../../src/memory/index.ts';
import { audit, expectHonest } from '../support/audit.ts';
import { world, type World, type WorldOptions } from '../support/world.ts';

const note = { by: 'ops', why: 'a test' };

async function publish(made: World, people: number, id = 'o-1'): Promise<string> {
  return (await made.notifier.publish('order', { id, people })).id;
}

async function only(made: World): Promise<DeliveryRecord> {
  const [record] = await made.deliveries();
  if (record === undefined) throw new Error('no delivery');
  return record;
}

/** One delivery that is marked and whose provider has not answered yet. */
async function inFlight(options: WorldOptions = {}): Promise<World> {
  const made = world(options);
  made.providers[0]?.answerWith(() => ({ replyAfterMs: 5_000 }));
  made.start();
  await publish(made, 1);
  await made.until('it is in flight', async () => (await made.states()).dispatching === 1);
  return made;
}

describe('a cancel', () => {
  test('before anything happened: nobody is told', async () => {
    const made = world();
    const id = await publish(made, 3);
    expect(await made.notifier.cancel([id], note)).toEqual([{ kind: 'cancelled', tooLate: [] }]);
    made.start();
    await made.advance(60_000);
    expect(made.mailbox()).toEqual([]);
    expect(await made.notifier.find(id)).toMatchObject({ state: 'cancelled', reason: 'cancelled by ops: a test' });
    expect(await made.notifier.cancel([id], note)).toEqual([{ kind: 'cancelled', tooLate: [] }]);
  });

  test('half-way through the fan-out: what is left is neither made nor sent', async () => {
    const made = world();
    let pages = 0;
    let cancelled: Promise<unknown> | null = null;
    made.start({
      worker: { chunk: 10 },
      hook: async (call, go) => {
        if (call.on === 'ledger.add' && (pages += 1) === 3) cancelled = made.notifier.cancel([id], note);
        return go();
      },
    });
    const id = await publish(made, 100);
    await made.until('it is cancelled', () => cancelled !== null);
    await made.untilDone();
    await made.advance(60_000);
    const deliveries = await made.deliveries();
    expect(deliveries).toHaveLength(20);
    expect(made.mailbox().length).toBe(deliveries.filter(({ state }) => state === 'sent').length);
    expect(await audit(made)).toEqual({ duplicated: [], lost: [], phantom: [] });
    expect(await made.notifier.find(id)).toMatchObject({ state: 'cancelled', deliveries: 20 });
  });

  test('of what is in flight is too late: evidence decides, and nothing is sent again', async () => {
    const made = await inFlight();
    const record = await only(made);
    expect(await made.notifier.cancel([record.notificationId], note)).toEqual([
      { kind: 'cancelled', tooLate: [record.id] },
    ]);
    expect(await made.notifier.cancel([record.id], note)).toEqual([{ kind: 'too-late', state: 'dispatching' }]);
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 1 });
  });

  test('of what is in flight is carried out if it turns out not to have left', async () => {
    const made = world();
    made.providers[0]?.answerWith(() => ({ replyAfterMs: 5_000, reply: { kind: 'not-sent', reason: 'refused' } }));
    made.start();
    const id = await publish(made, 1);
    await made.until('it is in flight', async () => (await made.states()).dispatching === 1);
    await made.notifier.cancel([id], note);
    await made.untilDone();
    expect(await made.states()).toEqual({ cancelled: 1 });
    expect(made.providers[0]?.calls()).toBe(1);
  });

  test('while the outcome is unknown: no replay, and a person decides', async () => {
    const made = world();
    made.providers[0]?.answerWith(() => ({ taken: true, reply: { kind: 'unknown', reason: 'reset' } }));
    made.start({
      hook: async (call, go) =>
        call.on === 'ledger.reconcile' && call.nth === 1 ? Promise.reject(new Error('down')) : go(),
    });
    const id = await publish(made, 1);
    await made.until('it is unknown', async () => (await made.states()).unknown === 1);
    expect(await made.notifier.cancel([id], note)).toMatchObject([
      { kind: 'cancelled', tooLate: [expect.any(String)] },
    ]);
    await made.untilDone();
    expect(await only(made)).toMatchObject({ state: 'parked', reason: 'cancelled while an attempt was open' });
    expect(made.providers[0]?.calls()).toBe(1);
  });

  test('after it was sent is too late, and of what does not exist is absent', async () => {
    const made = world();
    made.start();
    await publish(made, 1);
    await made.untilDone();
    const { id, notificationId } = await only(made);
    expect(await made.notifier.cancel([id, notificationId, 'd_none', 'n_none'], note)).toEqual([
      { kind: 'too-late', state: 'sent' },
      { kind: 'too-late', state: 'done' },
      { kind: 'absent' },
      { kind: 'absent' },
    ]);
  });

  test('of one delivery leaves the others alone', async () => {
    const made = world();
    await publish(made, 3);
    await made.notifier.block([{ scope: 'all', blocked: true, recheckMs: 1_000, ...note }]);
    made.start();
    await made.until('all three are made', async () => (await made.states()).queued === 3);
    const { id } = await only(made);
    expect(await made.notifier.cancel([id], note)).toEqual([{ kind: 'cancelled', tooLate: [] }]);
    await made.notifier.block([{ scope: 'all', blocked: false, recheckMs: 0, ...note }]);
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 2, cancelled: 1 });
  });
});

describe('an opt-out', () => {
  const optOut: SuppressRequest = {
    tenant: 'default',
    recipientId: 'p1@example.org',
    topic: 'order',
    channel: 'email',
    suppressed: true,
    ...note,
  };

  test.each<[what: string, request: Partial<SuppressRequest>, holds: boolean]>([
    ['this topic', {}, true],
    ['everything', { topic: '*' }, true],
    ['this topic on every channel', { channel: '*' }, true],
    ['another topic', { topic: 'news' }, false],
    ['another channel', { channel: 'sms' }, false],
    ['another tenant', { tenant: 'acme' }, false],
  ])('of %s', async (_what, request, holds) => {
    const made = world();
    await made.notifier.suppress([{ ...optOut, ...request }]);
    const worker = made.start();
    await publish(made, 3);
    await made.untilDone();
    expect(await made.states()).toEqual(holds ? { sent: 2, suppressed: 1 } : { sent: 3 });
    const told = worker.events.filter((event) => event.kind === 'delivery.moved' && event.to === 'suppressed');
    expect(told).toHaveLength(holds ? 1 : 0);
  });

  test.each(['security', 'legal'] as const)('is not possible for %s', async (of) => {
    const made = world({ order: { class: of } });
    await made.notifier.suppress([{ ...optOut, topic: '*', channel: '*' }]);
    made.start();
    await publish(made, 3);
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 3 });
  });

  test('after the fan-out, before the mark, still holds', async () => {
    const made = world();
    const late = made.start({
      hook: async (call, go) => {
        if (call.on === 'ledger.mark') await made.notifier.suppress([optOut]);
        return go();
      },
    });
    await publish(made, 3);
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 2, suppressed: 1 });
    late.stop();
  });

  test('of what is in flight says that it is too late', async () => {
    const made = await inFlight();
    const { id, target } = await only(made);
    expect(await made.notifier.suppress([{ ...optOut, recipientId: target.recipientId }])).toEqual([{ tooLate: [id] }]);
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 1 });
  });

  test('that is lifted lets the next one through', async () => {
    const made = world();
    await made.notifier.suppress([optOut]);
    await made.notifier.suppress([{ ...optOut, suppressed: false }]);
    made.start();
    await publish(made, 2);
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 2 });
  });
});

describe('a block', () => {
  const block = (scope: string, blocked: boolean): BlockRequest => ({ scope, blocked, recheckMs: 2_000, ...note });

  test.each(['all', 'provider:p0', 'channel:email', 'type:order', 'class:transactional'])(
    'of %s lets it wait, visibly, until it is lifted',
    async (scope) => {
      const made = world();
      await made.notifier.block([block(scope, true)]);
      made.start();
      await publish(made, 2);
      await made.advance(300_000);
      expect(await made.states()).toEqual({ queued: 2 });
      expect(await only(made)).toMatchObject({ reason: `blocked: ${scope}`, charged: 0, lapses: 0 });
      expect(made.providers[0]?.calls()).toBe(0);
      await made.notifier.block([block(scope, false)]);
      await made.untilDone(20_000);
      await expectHonest(made, 2);
    },
  );

  test.each(['provider:p1', 'channel:sms', 'type:other', 'class:legal'])("of %s is somebody else's", async (scope) => {
    const made = world();
    await made.notifier.block([block(scope, true)]);
    made.start();
    await publish(made, 2);
    await made.untilDone(5_000);
    expect(await made.states()).toEqual({ sent: 2 });
  });

  test('does not keep what waits from expiring', async () => {
    const made = world({ order: { expiresInMs: 30_000 } });
    await made.notifier.block([block('all', true)]);
    made.start();
    await publish(made, 2);
    await made.untilDone(60_000);
    expect(await made.states()).toEqual({ expired: 2 });
  });
});

describe('a replay', () => {
  async function deadOnes(people = 3, order: WorldOptions['order'] = {}): Promise<World> {
    const made = world({ order: { maxAttempts: 1, ...order } });
    made.providers[0]?.answerWith(({ nth }) => (nth === 1 ? { reply: { kind: 'not-sent', reason: 'refused' } } : {}));
    made.start();
    await publish(made, people);
    await made.untilDone();
    expect(await made.states()).toEqual({ dead: people });
    made.providers[0]?.answerWith(() => undefined);
    return made;
  }
  const idsOf = async (made: World): Promise<string[]> => (await made.deliveries()).map(({ id }) => id);

  test('sends each once, however often it is asked for', async () => {
    const made = await deadOnes();
    const ids = await idsOf(made);
    const first = await made.notifier.replay(ids, note);
    expect(first).toMatchObject(ids.map(() => ({ kind: 'replayed', possibleDuplicate: false })));
    const again = await Promise.all([made.notifier.replay(ids, note), made.notifier.replay(ids.slice(1), note)]);
    expect(again.flat().every(({ kind }) => kind === 'repeated')).toBe(true);
    await made.untilDone();
    await made.notifier.replay(ids, note);
    await made.untilDone();
    expect(made.mailbox()).toHaveLength(3);
    expect(await made.states()).toEqual({ dead: 3, sent: 3 });
  });

  test('that is broken off half-way is finished by asking again', async () => {
    const made = await deadOnes();
    const ids = await idsOf(made);
    await made.notifier.replay(ids.slice(0, 1), note);
    const verdicts = await made.notifier.replay(ids, note);
    expect(verdicts.map(({ kind }) => kind)).toEqual(['repeated', 'replayed', 'replayed']);
    await made.untilDone();
    expect(made.mailbox()).toHaveLength(3);
  });

  test('says who asked and why, and links the generations', async () => {
    const made = await deadOnes(1);
    const old = await only(made);
    const [verdict] = await made.notifier.replay([old.id], { by: 'maria', why: 'the server is back' });
    if (verdict?.kind !== 'replayed') throw new Error('not replayed');
    expect(await made.notifier.find(verdict.id)).toMatchObject({
      generation: 1,
      replaces: old.id,
      operator: { by: 'maria', why: 'the server is back' },
    });
    expect(await made.notifier.find(old.id)).toMatchObject({ state: 'dead', replacedBy: verdict.id });
  });

  test('may be repeated on the new generation once that has given up too', async () => {
    const made = await deadOnes(1);
    made.providers[0]?.answerWith(() => ({ reply: { kind: 'not-sent', reason: 'refused' } }));
    let id = (await only(made)).id;
    for (const generation of [1, 2]) {
      const [verdict] = await made.notifier.replay([id], note);
      if (verdict?.kind !== 'replayed') throw new Error('not replayed');
      id = verdict.id;
      await made.untilDone();
      expect(await made.notifier.find(id)).toMatchObject({ generation, state: 'dead' });
    }
  });

  test('of what is not a dead letter, cancelled, opted out of or unknown to us is refused', async () => {
    const made = world();
    made.start();
    await publish(made, 1);
    await made.untilDone();
    const sent = await only(made);
    expect(await made.notifier.replay([sent.id, 'd_none'], note)).toEqual([
      { kind: 'refused', reason: 'it is sent; only dead, failed and parked deliveries are replayed' },
      { kind: 'absent' },
    ]);
    const dead = await deadOnes(2, { expiresInMs: 600_000 });
    const [a, b] = await dead.deliveries();
    await dead.notifier.suppress([
      {
        tenant: 'default',
        recipientId: a?.target.recipientId ?? '',
        topic: '*',
        channel: '*',
        suppressed: true,
        ...note,
      },
    ]);
    expect(await dead.notifier.replay([a?.id ?? ''], note)).toEqual([
      { kind: 'refused', reason: 'the recipient opted out' },
    ]);
    await dead.advance(600_000);
    expect(await dead.notifier.replay([b?.id ?? ''], note)).toEqual([{ kind: 'refused', reason: 'it has expired' }]);
  });

  test.each([
    { channel: 'email', to: 'nope', reason: /^its address can never work: .+; publish again with a right one$/ },
    { channel: 'email', to: '', reason: /^its address can never work: the address is empty/ },
    { channel: 'fax', to: 'x', reason: /^its address can never work: .*fax/ },
  ])('of $to on $channel, which can never work, is refused, and nobody is asked', async ({ channel, to, reason }) => {
    const made = world({ order: { route: () => [{ channel, to } as never] } });
    made.start();
    await publish(made, 1);
    await made.untilDone();
    const old = await only(made);
    expect(old.state).toBe('failed');
    expect(await made.notifier.replay([old.id], note)).toMatchObject([
      { kind: 'refused', reason: expect.stringMatching(reason) },
    ]);
    await made.advance(120_000);
    expect(made.providers[0]?.calls()).toBe(0);
  });

  test('of one whose channel had no provider is sent once it has one, and until then is a dead letter again', async () => {
    const route = () => [{ channel: 'sms' as const, to: '+4930123456' }];
    const made = world({ order: { route }, queue: false });
    const first = made.start();
    await publish(made, 1);
    await made.until('it is born failed', async () => (await made.states()).failed === 1);
    const [old] = await made.deliveries();
    await made.notifier.replay([old!.id], note);
    await made.until('it failed again', async () => (await made.states()).failed === 2, 3_600_000);
    first.stop();
    const again = (await made.deliveries()).find(({ replaces }) => replaces === old!.id);
    expect(again).toMatchObject({ reason: "channel 'sms' has no provider in the config", attempts: [] });
    const text = memoryProvider({ clock: made.clock, name: 'texts' });
    made.start({ config: { channels: { sms: { providers: [text] } } } });
    await made.notifier.replay([again!.id], note);
    await made.until('it is sent', async () => (await made.states()).sent === 1, 60_000);
    expect(text.mailbox).toHaveLength(1);
  });

  test('of a parked one is called off when the first generation turns out to have been accepted', async () => {
    const made = world({ models: ['plain'] });
    made.providers[0]?.answerWith(() => ({ taken: true, reply: { kind: 'unknown', reason: 'reset' } }));
    made.start();
    await publish(made, 1);
    await made.until('it is parked', async () => (await made.states()).parked === 1);
    const old = await only(made);
    await made.notifier.block([{ scope: 'all', blocked: true, recheckMs: 1_000, ...note }]);
    const [verdict] = await made.notifier.replay([old.id], note);
    expect(verdict).toMatchObject({ kind: 'replayed', possibleDuplicate: true });
    const webhook = {
      deliveryId: old.id,
      provider: 'p0',
      providerMessageId: 'm-1',
      kind: 'accepted',
      at: made.clock.now(),
      detail: null,
    } as const;
    expect(await made.notifier.record([webhook])).toMatchObject([{ kind: 'moved', state: 'sent' }]);
    await made.notifier.block([{ scope: 'all', blocked: false, recheckMs: 0, ...note }]);
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 1, cancelled: 1 });
    expect(made.mailbox()).toHaveLength(1);
  });

  test('of a parked one that is forced sends a declared duplicate', async () => {
    const made = world({ models: ['plain'] });
    made.providers[0]?.answerWith(({ call }) =>
      call === 1 ? { taken: true, reply: { kind: 'unknown', reason: 'reset' } } : {},
    );
    made.start();
    await publish(made, 1);
    await made.until('it is parked', async () => (await made.states()).parked === 1);
    const old = await only(made);
    await made.notifier.replay([old.id], { ...note, force: true });
    await made.untilDone();
    const next = (await made.deliveries()).find(({ generation }) => generation === 1);
    expect(next).toMatchObject({ state: 'sent', forced: true, declarations: [{ kind: 'replay-generation' }] });
    expect(made.mailbox()).toHaveLength(2);
  });
});

describe('what a webhook says', () => {
  const event = (
    record: DeliveryRecord,
    kind: 'delivered' | 'bounced' | 'accepted',
    providerMessageId: string | null,
  ) => ({ deliveryId: record.id, provider: 'p0', providerMessageId, kind, at: 0, detail: null }) as const;

  test('about what is in flight counts at once, and the late answer adds nothing', async () => {
    const made = await inFlight();
    const record = await only(made);
    await made.advance(1_000);
    const { providerMessageId = '' } = made.mailbox()[0] ?? {};
    expect(await made.notifier.record([event(record, 'delivered', providerMessageId)])).toMatchObject([
      { kind: 'moved', state: 'delivered' },
    ]);
    await made.untilDone();
    await made.advance(60_000);
    expect(await made.states()).toEqual({ delivered: 1 });
    expect((await only(made)).attempts).toHaveLength(1);
  });

  test('46 times is heard once', async () => {
    const made = world();
    made.start();
    await publish(made, 1);
    await made.untilDone();
    const record = await only(made);
    const { providerMessageId = '' } = made.mailbox()[0] ?? {};
    const bounced = Array.from({ length: 46 }, () => event(record, 'bounced', providerMessageId));
    const verdicts = await made.notifier.record(bounced);
    expect(verdicts.filter(({ kind }) => kind === 'moved')).toHaveLength(1);
    expect((await made.notifier.history(record.id)).filter(({ to }) => to === 'bounced')).toHaveLength(1);
  });

  test('about a message that we do not know of yet is kept until we do', async () => {
    const made = await inFlight();
    const early = { ...event(await only(made), 'delivered', 'p0-1'), deliveryId: null };
    expect(await made.notifier.record([early])).toEqual([{ kind: 'kept' }]);
    await made.untilDone();
    expect(await made.states()).toEqual({ delivered: 1 });
  });
});
