import { createNotifier } from '@sendonce/core';
import { manualClock, memoryDestinations, memoryLedger, memoryProvider, seededRandom } from '@sendonce/core/memory';
import { expect, test } from 'vitest';
import { runFor } from '../support/run-for.ts';
import { config, signUp } from './addresses.ts';

test('one person is told once, whichever way the number is written; a landline and half a number are told to nobody', async () => {
  const clock = manualClock(Date.UTC(2026, 2, 1));
  const ledger = memoryLedger({ clock });
  const sms = memoryProvider({ clock, name: 'sms' });
  const own = config(ledger, memoryDestinations({ clock }), sms);
  const notifier = createNotifier({ ...own, clock, random: seededRandom('numbers') });
  const phones = ['0171 1234567', '+49 (0)171 1234567', '0049 171/1234567', '030 1234567', '0171'];
  await notifier.publish('shipped', { order: '4711', phones });
  await runFor(notifier, clock, 10_000);
  expect(sms.mailbox.map(({ to }) => to)).toEqual(['+491711234567']);
  const { items } = await ledger.list({});
  expect(items.map(({ state, reason }) => [state, reason]).sort()).toEqual([
    ['failed', 'invalid target: a landline number, where only mobile may be used'],
    ['failed', expect.stringContaining('invalid target: ')],
    ['sent', null],
  ]);
});

test('a form keeps the number as it is sent to, or says what is wrong', () => {
  expect(signUp('0171 1234567')).toEqual({ phone: '+491711234567' });
  expect(signUp('030 1234567')).toEqual({ error: 'a landline number, where only mobile may be used' });
});
