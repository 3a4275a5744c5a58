import { describe, expect, test } from 'vitest';
import type { NotifierConfig, Outcome, TelemetryEvent } from '../../src/index.ts';
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
