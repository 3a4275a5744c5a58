import { describe, expect, test } from 'vitest';
import { world, type World } from '../support/world.ts';

const HOUR = 3_600_000;
const refuse = () => ({ reply: { kind: 'not-sent', reason: 'refused' } }) as const;

async function deadOnes(people: number, max: number, order: { readonly expiresInMs?: number } = {}): Promise<World> {
  const made = world({ order: { maxAttempts: 1, ...order } });
  made.providers[0]?.answerWith(refuse);
  // Slow polling: hours of it are simulated.
  made.start({ config: { deadLetterRetry: { afterMs: HOUR, max } }, worker: { sweepMs: 10_000, waitMs: 20_000 } });
  await made.notifier.publish('order', { id: 'o-1', people });
  await made.untilDone();
  expect(await made.states()).toEqual({ dead: people });
  return made;
}

describe('the automatic dead-letter retry', () => {
  test('sends what died again, once it has been dead for long enough', async () => {
    const made = await deadOnes(3, 2);
    made.providers[0]?.answerWith(() => undefined);
    await made.advance(HOUR - 60_000);
    expect(made.mailbox()).toEqual([]);
    await made.until('they are sent', async () => (await made.states()).sent === 3, HOUR);
    const next = (await made.deliveries()).filter(({ generation }) => generation === 1);
    expect(next).toMatchObject([{ redrives: 1, operator: { by: 'deadLetterRetry' } }, {}, {}]);
    expect(made.mailbox()).toHaveLength(3);
  });

  test('gives up after as many generations as allowed', async () => {
    const made = await deadOnes(2, 3);
    await made.advance(6 * HOUR);
    expect(await made.states()).toEqual({ dead: 8 });
    expect(made.providers[0]?.calls()).toBe(8);
    expect(Math.max(...(await made.deliveries()).map(({ redrives }) => redrives))).toBe(3);
  });

  test('is not held up by many that may not be sent again', async () => {
    const made = await deadOnes(1_000, 1, { expiresInMs: 2 * HOUR });
    const optOut = { tenant: 'default', topic: '*', channel: '*', suppressed: true, by: 'p', why: 'w' } as const;
    const ids = Array.from({ length: 990 }, (_, i) => ({ ...optOut, recipientId: `p${i}@example.org` }));
    await made.notifier.suppress(ids);
    made.providers[0]?.answerWith(() => undefined);
    await made.until('the others are sent', async () => (await made.states()).sent === 10, 2 * HOUR);
    expect(made.mailbox().map(({ to }) => to)).toContain('p999@example.org');
  });

  test('leaves permanent failures and parked ones to a person', async () => {
    const made = world({ models: ['plain'] });
    made.providers[0]?.answerWith(({ message }) =>
      message.to === 'p0@example.org'
        ? { reply: { kind: 'rejected', scope: 'message', reason: 'bad' } }
        : { taken: true, reply: { kind: 'unknown', reason: 'reset' } },
    );
    made.start({ config: { deadLetterRetry: { afterMs: 60_000, max: 5 } } });
    await made.notifier.publish('order', { id: 'o-1', people: 2 });
    await made.untilDone();
    await made.advance(HOUR);
    expect(await made.states()).toEqual({ failed: 1, parked: 1 });
    expect(made.providers[0]?.calls()).toBe(2);
  });

  test('is off unless the config asks for it', async () => {
    const made = world({ order: { maxAttempts: 1 } });
    made.providers[0]?.answerWith(refuse);
    made.start();
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.advance(3 * HOUR);
    expect(await made.states()).toEqual({ dead: 1 });
  });
});
