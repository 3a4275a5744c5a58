import { createNotifier } from '@sendonce/core';
import { manualClock, memoryLedger, memoryProvider, seededRandom, type ProviderAnswer } from '@sendonce/core/memory';
import { expect, test } from 'vitest';
import config from '../first-notifier/notify.config.ts';
import { runFor } from '../support/run-for.ts';
import { confirmed, deadLetters, sendAgain, unreplaced } from './dead-letters.ts';

function world(answer: ProviderAnswer) {
  const clock = manualClock(Date.UTC(2026, 2, 1));
  const ledger = memoryLedger({ clock });
  const provider = memoryProvider({ clock, name: 'second', model: 'plain', answer: () => answer });
  const channels = { email: { providers: [provider] } };
  const classes = { document: { onUnknown: 'park' as const } };
  const notifier = createNotifier({ ...config, ledger, channels, classes, clock, random: seededRandom('dead') });
  return { clock, ledger, provider, notifier };
}

const order = { id: 'o-17', contacts: [{ name: 'Ann', email: 'ann@example.com' }] };

test('a rejected order is listed with its reason and sent again once, however often that is asked for', async () => {
  const { clock, ledger, provider, notifier } = world({
    reply: { kind: 'rejected', scope: 'message', reason: 'template missing' },
  });
  await notifier.publish('orderPlaced', order);
  await runFor(notifier, clock, 60_000);
  expect(deadLetters(await notifier.status())).toEqual({ dead: 0, failed: 1, parked: 0 });
  const letters = await unreplaced(ledger);
  expect(letters.map(({ reason }) => reason)).toEqual(['template missing']);

  provider.answerWith(() => undefined);
  const ids = letters.map(({ id }) => id);
  const [replayed] = await sendAgain(notifier, ids);
  expect(replayed).toMatchObject({ kind: 'replayed', possibleDuplicate: false });
  expect(await sendAgain(notifier, ids)).toMatchObject([{ kind: 'repeated' }]);
  await runFor(notifier, clock, 60_000);
  expect(provider.mailbox).toHaveLength(1);
  expect(await unreplaced(ledger)).toEqual([]);
});

test('a parked order becomes sent when somebody knows that it went out', async () => {
  const { clock, ledger, notifier } = world({ taken: true, reply: { kind: 'unknown', reason: 'connection reset' } });
  await notifier.publish('orderPlaced', order);
  await runFor(notifier, clock, 60_000);
  const [letter] = await unreplaced(ledger);
  expect(letter?.state).toBe('parked');
  await confirmed(notifier, letter?.id ?? '', 'second-1');
  expect((await notifier.status()).deliveries).toMatchObject({ parked: 0, sent: 1 });
});
