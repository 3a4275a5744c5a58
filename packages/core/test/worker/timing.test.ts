import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/index.ts';
import { never } from '../support/tap.ts';
import { scripted } from '../support/providers.ts';
import { world } from '../support/world.ts';

const MINUTE = 60_000;

describe.each([{ queue: true }, { queue: false }])(
  'a notification that is to be sent later (queue: $queue)',
  ({ queue }) => {
    test('is neither routed nor sent before its time, and soon after it', async () => {
      let routed = 0;
      const route = () => ((routed += 1), [{ channel: 'email' as const, to: 'p0@example.org' }]);
      const made = world({ queue, order: { route } });
      made.start();
      await made.notifier.publish(
        'order',
        { id: 'o-1', people: 1 },
        { sendAt: new Date(made.clock.now() + 10 * MINUTE) },
      );
      await made.advance(10 * MINUTE - 1);
      expect([routed, made.mailbox().length]).toEqual([0, 0]);
      await made.until('it is sent', async () => (await made.states()).sent === 1, 1_000);
      expect(routed).toBe(1);
    });

    test('later than its queue keeps a wake is sent soon after its time too', async () => {
      const made = world({ queue });
      made.start();
      const sendAt = made.clock.now() + 60 * MINUTE;
      await made.notifier.publish('order', { id: 'o-1', people: 1 }, { sendAt });
      await made.advance(60 * MINUTE - 1);
      expect(made.mailbox()).toEqual([]);
      await made.until('it is sent', async () => (await made.states()).sent === 1, 15_000);
    });

    test('may be cancelled until then', async () => {
      const made = world({ queue });
      made.start();
      const sendAt = made.clock.now() + 10 * MINUTE;
      const { id } = await made.notifier.publish('order', { id: 'o-1', people: 1 }, { sendAt });
      await made.advance(5 * MINUTE);
      expect(await made.notifier.cancel([id], { by: 'ops', why: 'a test' })).toEqual([
        { kind: 'cancelled', tooLate: [] },
      ]);
      await made.advance(20 * MINUTE);
      expect(made.mailbox()).toEqual([]);
    });
  },
);

describe('a delivery that expires', () => {
  test.each([
    { what: 'the type', order: { expiresInMs: 2 * MINUTE }, options: {} },
    { what: 'the publish', order: {}, options: { expiresInMs: 2 * MINUTE } },
  ])('after the time that $what gives is not sent any more', async ({ order, options }) => {
    const made = world({ order });
    await made.notifier.publish('order', { id: 'o-1', people: 2 }, options);
    await made.advance(2 * MINUTE);
    made.start();
    await made.untilDone();
    expect(await made.states()).toEqual({ expired: 2 });
    expect(made.providers[0]?.calls()).toBe(0);
  });

  test('gives the provider no more time than it has left', async () => {
    const made = world({ order: { expiresInMs: 20_000 } });
    const provider = scripted(made.clock, async () => never);
    made.start({ config: { channels: { email: { providers: [provider] } } } });
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.until('it is asked', () => provider.sent.length === 1);
    expect(provider.sent[0]?.context.deadlineMs).toBeLessThanOrEqual(20_000);
    await made.untilDone();
    // It may be out: expired would say that it is not.
    expect(await made.states()).toEqual({ parked: 1 });
  });

  test('while waiting for a retry says why it was not sent', async () => {
    const made = world({ order: { expiresInMs: 2 * MINUTE, failoverOnNotSent: false } });
    made.providers[0]?.answerWith(() => ({ reply: { kind: 'not-sent', reason: 'connection refused' } }));
    made.start();
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.untilDone();
    expect(await made.deliveries()).toMatchObject([{ state: 'expired', reason: 'connection refused' }]);
  });
});

describe('an unknown delivery', () => {
  const DAY = 86_400_000;

  test.each([
    { clock: 'right', byMs: 0, minutes: 5, state: 'sent' },
    { clock: 'two days fast', byMs: 2 * DAY, minutes: 5, state: 'sent' },
    { clock: 'two days slow', byMs: -2 * DAY, minutes: 5, state: 'sent' },
    { clock: 'two days slow', byMs: -2 * DAY, minutes: 30, state: 'parked' },
    { clock: 'right', byMs: 0, minutes: 30, state: 'parked' },
  ])(
    "is decided on by the store's time, $minutes min after its mark, by a worker whose clock is $clock: $state",
    async ({ byMs, minutes, state }) => {
      // The provider remembers a key for ten minutes.
      const made = world({ windowMs: 10 * MINUTE });
      made.providers[0]?.answerWith(({ nth }) =>
        nth === 1 ? { taken: true, reply: { kind: 'unknown', reason: 'reset' } } : {},
      );
      const first = made.start({ hook: (call, go) => (/sweep/.test(call.on) ? never : go()) });
      await made.notifier.publish('order', { id: 'o-1', people: 1 });
      await made.until('it is unknown', async () => (await made.states()).unknown === 1);
      first.kill();
      await made.advance(minutes * MINUTE);
      const clock = { ...made.clock, now: () => made.clock.now() + byMs };
      made.start({ config: { clock } });
      await made.untilDone();
      expect(await made.states()).toEqual({ [state]: 1 });
      expect(made.mailbox()).toHaveLength(1);
    },
  );
});

describe('a worker of one stage', () => {
  test('decides or delivers, each with its own queue, and together they do it all', async () => {
    const made = world({ queue: false });
    const decider = made.start({ worker: { stages: ['decide'] } });
    await made.notifier.publish('order', { id: 'o-1', people: 3 });
    await made.advance(10_000);
    expect(await made.states()).toEqual({ queued: 3 });
    made.start({ worker: { stages: ['deliver'] } });
    await made.untilDone(10_000);
    expect(await made.states()).toEqual({ sent: 3 });
    expect(decider.events.some(({ kind }) => kind === 'attempt.ended')).toBe(false);
  });

  test('cannot share one queue with the other stage', () => {
    const made = world();
    expect(() => made.start({ worker: { stages: ['decide'] } })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(/eventsQueue/) }),
    );
  });
});

describe('a worker whose config is older than the notification', () => {
  test('leaves a type that it does not know to a worker that does, however long that takes', async () => {
    const made = world();
    const other = { hello: { class: 'legal', content: () => ({}) } } as never;
    const old = made.start({ config: { notifications: other } });
    await made.notifier.publish('order', { id: 'o-1', people: 2 });
    await made.notifier.publish(
      'order',
      { id: 'o-2', people: 0 },
      { recipients: [{ channel: 'email', to: 'q@example.org' }] },
    );
    // Half a second: out of step with the other worker's polls.
    await made.advance(20 * MINUTE + 500);
    expect((await made.notifier.status()).notifications).toMatchObject({ accepted: 1, expanding: 1, failed: 0 });
    const reason = "type 'order' is not in this worker's config";
    expect(old.events).toContainEqual(expect.objectContaining({ kind: 'notification.moved', to: 'accepted', reason }));
    made.start();
    await made.untilDone(10 * MINUTE);
    expect(await made.states()).toEqual({ sent: 3 });
  });
});

describe('what has to be tried again', () => {
  const SCHEDULE = [30_000, 30_000];
  const HAPPENED: readonly [what: string, outcome: Outcome][] = [
    ['was not sent', { kind: 'not-sent', reason: 'refused' }],
    ['was put off', { kind: 'deferred', reason: '429' }],
    ['is unknown, and is repeated with its key', { kind: 'unknown', reason: 'reset' }],
  ];
  test.each(HAPPENED)(
    'is woken when it is due, each at its own time, and does not wait for the sweeper: %s',
    async (_, outcome) => {
      const made = world({ order: { retry: { schedule: SCHEDULE } } });
      made.providers[0]?.answerWith(({ nth }) => (nth <= 2 ? { reply: outcome } : {}));
      // Nobody but a wake brings it back in time.
      made.start({ worker: { lateMs: 600_000 } });
      await made.notifier.publish('order', { id: 'o-1', people: 40 });
      // Each of both: the first look at what is unknown, the longest wait, and a wake that comes a little late.
      await made.untilDone(2 * (60_000 + 30_000 + 5_000));
      expect(await made.states()).toEqual({ sent: 40 });
    },
  );
});
