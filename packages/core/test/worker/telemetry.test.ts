import { describe, expect, test } from 'vitest';
import {
  createNotifier,
  type NotificationType,
  type NotifierConfig,
  type Outcome,
  type TelemetryEvent,
} from '../../src/index.ts';
import { scripted } from '../support/providers.ts';
import { never, type Hook } from '../support/tap.ts';
import { world, type WorldOptions } from '../support/world.ts';

type Moved = Extract<TelemetryEvent, { kind: 'delivery.moved' }>;

const unknown: Outcome = { kind: 'unknown', reason: 'reset' };
const notSent: Outcome = { kind: 'not-sent', reason: 'refused' };

async function told(
  options: WorldOptions,
  answers: readonly (Outcome | null)[],
  config: Partial<NotifierConfig> = {},
): Promise<readonly TelemetryEvent[]> {
  const made = world(options);
  made.providers[0]?.answerWith(({ nth }) => {
    const reply = answers[nth - 1];
    return reply === undefined || reply === null ? {} : { reply, taken: reply.kind === 'unknown' };
  });
  const worker = made.start({ config });
  await made.notifier.publish('order', { id: 'o-1', people: 1 });
  await made.untilDone();
  await made.advance(30_000);
  return worker.events;
}

const moves = (events: readonly TelemetryEvent[]): string[] =>
  events.filter((event): event is Moved => event.kind === 'delivery.moved').map(({ to }) => to);
const outcomes = (events: readonly TelemetryEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'attempt.ended' ? [event.outcome] : []));

describe('telemetry', () => {
  const STORIES: readonly {
    readonly story: string;
    readonly options?: WorldOptions;
    readonly answers: readonly (Outcome | null)[];
    readonly moves: readonly string[];
  }[] = [
    { story: 'sent', answers: [null], moves: ['sent'] },
    { story: 'retried', answers: [notSent, null], moves: ['retry-scheduled', 'sent'] },
    { story: 'failed', answers: [{ kind: 'rejected', scope: 'message', reason: 'bad' }], moves: ['failed'] },
    { story: 'dead', options: { order: { maxAttempts: 1 } }, answers: [notSent], moves: ['dead'] },
    { story: 'unknown, replayed, sent', answers: [unknown, null], moves: ['unknown', 'retry-scheduled', 'sent'] },
    { story: 'unknown, parked', options: { models: ['plain'] }, answers: [unknown], moves: ['unknown', 'parked'] },
    {
      story: 'unknown, looked up, sent',
      options: { models: ['lookup'] },
      answers: [unknown],
      moves: ['unknown', 'sent'],
    },
  ];

  test.each(STORIES)(
    'tells the story once, move by move: $story',
    async ({ options = {}, answers, moves: expected }) => {
      const events = await told(options, answers);
      expect(moves(events)).toEqual(expected);
      expect(outcomes(events)).toEqual(answers.map((outcome) => outcome?.kind ?? 'accepted'));
      const notifications = events.flatMap((event) => (event.kind === 'notification.moved' ? [event.to] : []));
      expect(notifications).toEqual(['expanded', 'done']);
    },
  );

  test('says what an assumption is', async () => {
    const made = world({ models: ['plain'], order: { class: 'marketing', expiresInMs: 60_000_000 } });
    made.providers[0]?.answerWith(() => ({ taken: true, reply: unknown }));
    const worker = made.start();
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.untilDone();
    expect(worker.events).toContainEqual(
      expect.objectContaining({ kind: 'delivery.moved', to: 'sent', assumed: true }),
    );
    expect((await made.notifier.status()).assumed).toBe(1);
  });

  test('records a duplicate when a second acceptance shows', async () => {
    const made = world({ models: ['plain'], order: { class: 'security' } });
    made.providers[0]?.answerWith(({ nth }) => (nth === 1 ? { replyAfterMs: 70_000 } : {}));
    const worker = made.start();
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.untilDone();
    const { attempts = [], id = '', fence } = (await made.deliveries())[0] ?? {};
    expect(attempts).toHaveLength(2);
    const [first] = attempts;
    if (first === undefined) throw new Error('no attempt');
    const outcome: Outcome = { kind: 'accepted', providerMessageId: 'p0-1' };
    const next = { kind: 'sent' } as const;
    const late = { id, fence: first.fence, attempt: 1, provider: 'p0', key: first.key, outcome, next, refund: false };
    expect(await made.ledger.settle([late])).toMatchObject([{ kind: 'evidence', state: 'sent', duplicate: true }]);
    expect(fence).toBeGreaterThan(first.fence);
    expect(worker.events.some(({ kind }) => kind === 'duplicate.recorded')).toBe(false);
  });

  test('never carries an address or content', async () => {
    const events = await told({ order: { content: () => ({ text: 'secret text' }) } }, [unknown, null]);
    expect(JSON.stringify(events)).not.toMatch(/p0@example\.org|secret text/);
  });

  test('whose sink throws stops nothing', async () => {
    const made = world();
    made.start({
      config: {
        telemetry: [
          {
            emit: () => {
              throw new Error('full disk');
            },
          },
        ],
      },
    });
    await made.notifier.publish('order', { id: 'o-1', people: 2 });
    await made.untilDone();
    expect(await made.states()).toEqual({ sent: 2 });
  });
});

describe('what is done through a notifier', () => {
  const note = { by: 'ops', why: 'a test' };

  /** Deliveries that wait, and an operator's process beside them that runs no worker. */
  async function waiting(people: number) {
    const made = world();
    const worker = made.start({ hook: async (call, go) => (call.on === 'ledger.claim' ? never : go()) });
    const { id } = await made.notifier.publish('order', { id: 'o-1', people });
    await made.until('they are made', async () => (await made.states()).queued === people);
    worker.kill();
    const events: TelemetryEvent[] = [];
    const { ledger, clock, providers } = made;
    const order: NotificationType<never> = { class: 'transactional', content: () => ({}) };
    const config = { ledger, clock, channels: { email: { providers } }, notifications: { order } };
    const operator = createNotifier({ ...config, telemetry: [{ emit: (event) => void events.push(event) }] });
    return { made, operator, events, id, deliveries: (await made.deliveries()).map((each) => each.id) };
  }

  test('tells a cancelled delivery once, however often it is cancelled', async () => {
    const { operator, events, deliveries } = await waiting(2);
    const [first = ''] = deliveries;
    for (let i = 0; i < 2; i += 1) await operator.cancel([first], note);
    expect(events).toMatchObject([
      { kind: 'delivery.moved', id: first, to: 'cancelled', reason: 'cancelled by ops: a test' },
    ]);
  });

  test('tells a cancelled notification and each of its deliveries once', async () => {
    const { operator, events, deliveries, id } = await waiting(250);
    for (let i = 0; i < 2; i += 1) await operator.cancel([id, 'n_absent'], note);
    expect(events[0]).toMatchObject({ kind: 'notification.moved', id, to: 'cancelled' });
    expect(events.slice(1).map((event) => ('id' in event ? event.id : ''))).toEqual(deliveries);
    expect(moves(events)).toEqual(deliveries.map(() => 'cancelled'));
  });

  test('tells what evidence moved, and nothing for what it did not', async () => {
    const { made, operator, events, deliveries } = await waiting(1);
    const [deliveryId = ''] = deliveries;
    const arrived = {
      deliveryId,
      provider: 'p0',
      providerMessageId: 'm-1',
      kind: 'delivered' as const,
      at: made.clock.now(),
      detail: null,
    };
    for (let i = 0; i < 2; i += 1) await operator.record([arrived]);
    await operator.record([{ ...arrived, deliveryId: 'd_absent', providerMessageId: 'm-2' }]);
    expect(moves(events)).toEqual(['delivered']);
  });

  test('tells a replay as a new delivery that is queued, once', async () => {
    const made = world({ order: { maxAttempts: 1 } });
    made.providers[0]?.answerWith(() => ({ reply: notSent }));
    const worker = made.start();
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.untilDone();
    const [dead] = await made.deliveries();
    for (let i = 0; i < 2; i += 1) await worker.notifier.replay([dead?.id ?? ''], note);
    const born = worker.events.filter((event) => event.kind === 'delivery.moved' && event.to === 'queued');
    const [, next] = await made.deliveries();
    expect(born).toMatchObject([{ id: next?.id, reason: 'generation 1: a test' }]);
  });

  test('is done although the record cannot be read to tell of it', async () => {
    const { made, deliveries } = await waiting(1);
    const down: Hook = async (call, go) => {
      if (/find|list/.test(call.on)) throw new Error('connection refused');
      return go();
    };
    const other = made.start({ hook: down });
    expect(await other.notifier.cancel(deliveries, note)).toEqual([{ kind: 'cancelled', tooLate: [] }]);
  });
});

describe('an overdue dispatch that a claim meets before the sweeper', () => {
  test('is told as unknown, once', async () => {
    const made = world({ models: ['plain'] });
    const provider = scripted(made.clock, async () => never);
    const first = made.start({ config: { channels: { email: { providers: [provider] } } } });
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.until('it is asked', () => provider.sent.length === 1);
    first.kill();
    await made.advance(61_000);
    const [record] = await made.deliveries();
    const second = made.start({ hook: async (call, go) => (call.on === 'ledger.sweep' ? never : go()) });
    for (let i = 0; i < 3; i += 1) await made.queue?.enqueue([{ id: record?.id ?? '' }]);
    await made.until('it is unknown', async () => (await made.states()).unknown === 1);
    await made.advance(10_000);
    expect(moves(second.events)).toEqual(['unknown']);
  });
});
