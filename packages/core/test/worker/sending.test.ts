import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/index.ts';
import { audit, expectHonest } from '../support/audit.ts';
import { scripted } from '../support/providers.ts';
import { inTurn, never, type Hook } from '../support/tap.ts';
import { world, type World } from '../support/world.ts';

async function publish(made: World, people: number): Promise<void> {
  await made.notifier.publish('order', { id: 'o-1', people });
}

describe('two workers on one event', () => {
  test('send each message once between them', async () => {
    const made = world();
    await publish(made, 60);
    for (let i = 0; i < 3; i += 1) made.start({ worker: { batch: 7, concurrency: 10 } });
    await made.untilDone();
    await expectHonest(made, 60);
    expect(made.providers[0]?.calls()).toBe(60);
  });

  test('send each message once although every wake comes five times', async () => {
    const made = world();
    await publish(made, 20);
    const tripled: Hook = async (call, go) => {
      if (call.on !== 'queue.enqueue') return go();
      for (let i = 0; i < 4; i += 1) await go();
      return go();
    };
    for (let i = 0; i < 2; i += 1) made.start({ hook: tripled, worker: { batch: 3 } });
    await made.untilDone();
    expect(made.providers[0]?.calls()).toBe(20);
    await made.until('the queue is empty', async () => (await made.queue?.depth()) === 0, 120_000);
  });
});

describe('a worker that is slow between its claim and its mark', () => {
  const slowMark =
    (made: World, ms: number): Hook =>
    async (call, go) => {
      if (call.on === 'ledger.mark' && call.nth === 1) await made.clock.sleep(ms);
      return go();
    };

  test('keeps its lease while it can renew it', async () => {
    const made = world();
    await publish(made, 3);
    const slow = made.start({ hook: slowMark(made, 45_000) });
    await made.until('it has claimed', async () => (await made.states()).processing === 3);
    const other = made.start();
    await made.untilDone();
    expect((await made.deliveries()).map(({ fence, lapses }) => ({ fence, lapses }))).toHaveLength(3);
    expect(other.events.some(({ kind }) => kind === 'attempt.ended')).toBe(false);
    expect(slow.events.filter(({ kind }) => kind === 'attempt.ended')).toHaveLength(3);
    await expectHonest(made, 3);
  });

  test('is fenced off once its lease has gone to another, which alone sends', async () => {
    const made = world({ models: ['plain'] });
    await publish(made, 3);
    let marking = false;
    const once: Hook = (call, go) => {
      marking ||= call.on === 'ledger.mark';
      return call.on === 'ledger.renew' || (call.on === 'ledger.claim' && marking) ? never : go();
    };
    const slow = made.start({ hook: inTurn(once, slowMark(made, 40_000)) });
    await made.until('it has claimed', async () => (await made.states()).processing === 3);
    const other = made.start();
    await made.untilDone();
    await made.advance(60_000);
    expect(slow.events.some(({ kind }) => kind === 'attempt.ended')).toBe(false);
    expect(other.events.filter(({ kind }) => kind === 'attempt.ended')).toHaveLength(3);
    expect(made.providers[0]?.calls()).toBe(3);
    await expectHonest(made, 3);
  });

  test('does not send on a mark whose answer came after the send deadline', async () => {
    const made = world();
    await publish(made, 1);
    const lateAnswer: Hook = async (call, go) => {
      const answer = await go();
      if (call.on === 'ledger.mark' && call.nth === 1) await made.clock.sleep(56_000);
      return answer;
    };
    const worker = made.start({ hook: lateAnswer });
    await made.untilDone();
    const reason = 'the send deadline passed before the first byte';
    expect(worker.events).toContainEqual(
      expect.objectContaining({ kind: 'attempt.ended', attempt: 1, outcome: 'not-sent', reason }),
    );
    expect(made.mailbox()).toMatchObject([{ attempt: 2 }]);
  });

  test('does not send when the wall clock jumped over the send deadline', async () => {
    const made = world();
    await publish(made, 1);
    const jump: Hook = async (call, go) => {
      const answer = await go();
      if (call.on === 'ledger.mark' && call.nth === 1) made.clock.step(56_000);
      return answer;
    };
    const worker = made.start({ hook: jump });
    await made.untilDone();
    expect(worker.events).toContainEqual(
      expect.objectContaining({ kind: 'attempt.ended', attempt: 1, outcome: 'not-sent' }),
    );
    await expectHonest(made, 1);
  });

  test('does not send after the send deadline although the wall clock was set back', async () => {
    const made = world();
    await publish(made, 1);
    const lateAndBack: Hook = async (call, go) => {
      const answer = await go();
      if (call.on === 'ledger.mark' && call.nth === 1) {
        await made.clock.sleep(56_000);
        made.clock.step(-56_000);
      }
      return answer;
    };
    const worker = made.start({ hook: lateAndBack });
    await made.until('it is decided', () => worker.events.some(({ kind }) => kind === 'attempt.ended'));
    expect(worker.events).toContainEqual(
      expect.objectContaining({ kind: 'attempt.ended', attempt: 1, outcome: 'not-sent' }),
    );
  });
});

describe('a provider', () => {
  const accepted: Outcome = { kind: 'accepted', providerMessageId: 'm-1' };

  test('that answers after the deadline: unknown, and its late acceptance is evidence, not a duplicate', async () => {
    const made = world();
    const provider = scripted(made.clock, async () => {
      await made.clock.sleep(90_000);
      return accepted;
    });
    const worker = made.start({ config: { channels: { email: { providers: [provider] } } } });
    await publish(made, 1);
    await made.until('it is parked', async () => (await made.states()).parked === 1);
    await made.until('the late answer is in', async () => (await made.states()).sent === 1);
    expect(provider.sent).toHaveLength(1);
    const outcomes = worker.events.flatMap((event) => (event.kind === 'attempt.ended' ? [event.outcome] : []));
    expect(outcomes).toEqual(['unknown', 'accepted']);
    expect(worker.events.some(({ kind }) => kind === 'duplicate.recorded')).toBe(false);
  });

  test('that answers after the deadline of a replay in progress: one message, no third attempt', async () => {
    const made = world();
    const idempotency = { kind: 'key', windowMs: 86_400_000 } as const;
    const provider = scripted(
      made.clock,
      async (nth) => (await made.clock.sleep(nth === 1 ? 60_000 : 50_000), accepted),
      { idempotency },
    );
    made.start({ config: { channels: { email: { providers: [provider] } } } });
    await publish(made, 1);
    await made.untilDone();
    await made.advance(300_000);
    expect(provider.sent).toHaveLength(2);
    expect(new Set(provider.sent.map(({ context }) => context.key)).size).toBe(1);
    expect(await made.states()).toEqual({ sent: 1 });
    expect((await made.deliveries())[0]?.attempts.map(({ outcome }) => outcome?.kind)).toEqual([
      'accepted',
      'accepted',
    ]);
  });

  test.each(['taken', 'not taken'])(
    'that throws may have sent (%s): replayed with its key, one message',
    async (what) => {
      const made = world();
      made.providers[0]?.answerWith(({ nth }) =>
        nth === 1 ? { thrown: new TypeError('boom'), taken: what === 'taken' } : {},
      );
      const worker = made.start();
      await publish(made, 3);
      await made.untilDone();
      expect(await made.states()).toEqual({ sent: 3 });
      await expectHonest(made, 3);
      const reason = "the provider's adapter threw TypeError: boom";
      expect(worker.events).toContainEqual(
        expect.objectContaining({ kind: 'attempt.ended', outcome: 'unknown', reason }),
      );
    },
  );

  test('that throws where nothing can tell: parked with the reason, and nothing is sent again', async () => {
    const made = world({ models: ['plain'] });
    made.providers[0]?.answerWith(() => ({ thrown: new Error('boom'), taken: true }));
    made.start();
    await publish(made, 2);
    await made.untilDone();
    await made.advance(600_000);
    expect(await made.states()).toEqual({ parked: 2 });
    expect((await made.deliveries())[0]?.reason).toMatch(/threw Error: boom/);
    expect(made.mailbox()).toHaveLength(2);
  });

  test('that never answers holds its slots until the deadline, not longer', async () => {
    const made = world();
    const idempotency = { kind: 'key', windowMs: 86_400_000 } as const;
    const provider = scripted(made.clock, async (nth) => (nth <= 4 ? never : accepted), { idempotency });
    made.start({ config: { channels: { email: { providers: [provider] } } }, worker: { concurrency: 4, batch: 4 } });
    await publish(made, 4);
    await made.until('all four hang', () => provider.sent.length === 4);
    await made.untilDone(120_000);
    expect(await made.states()).toEqual({ sent: 4 });
    expect(provider.sent.slice(0, 4).every(({ context }) => context.signal.aborted)).toBe(true);
  });

  test('is told the deadline, and the abort signal follows it', async () => {
    const made = world();
    const provider = scripted(made.clock, async () => never);
    made.start({
      config: { channels: { email: { providers: [provider] } } },
      worker: { dispatchMs: 20_000, sendMarginMs: 2_000 },
    });
    await publish(made, 1);
    await made.until('it is asked', () => provider.sent.length === 1);
    const { context } = provider.sent[0] ?? {};
    expect(context).toMatchObject({ attempt: 1, deadlineMs: 18_000 });
    expect(context?.signal.aborted).toBe(false);
    await made.advance(18_000);
    expect(context?.signal.aborted).toBe(true);
  });

  test('that asks for the abort signal only after the deadline gets one that is aborted', async () => {
    const made = world();
    const provider = scripted(made.clock, async () => never);
    made.start({ config: { channels: { email: { providers: [provider] } } } });
    await publish(made, 1);
    await made.until('it is asked', () => provider.sent.length === 1);
    await made.advance(60_000);
    expect(provider.sent[0]?.context.signal.aborted).toBe(true);
  });

  test('whose worker dies with its late answer leaves one message and a parked delivery', async () => {
    const made = world({ models: ['plain'] });
    made.providers[0]?.answerWith(() => ({ replyAfterMs: 30_000 }));
    const worker = made.start();
    await publish(made, 1);
    await made.until('it is sent', () => made.mailbox().length === 1);
    worker.kill();
    made.start();
    await made.untilDone();
    expect(await made.states()).toEqual({ parked: 1 });
    expect(await audit(made)).toEqual({ duplicated: [], lost: [], phantom: [] });
  });
});
