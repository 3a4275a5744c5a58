import { createNotifier } from '@sendonce/core';
import { manualClock, memoryLedger, memoryProvider, seededRandom } from '@sendonce/core/memory';
import { expect, test } from 'vitest';
import { runFor } from '../support/run-for.ts';
import { classes, notifications } from './classes.ts';

function world() {
  const clock = manualClock(Date.UTC(2026, 2, 1));
  const lost = { taken: true, reply: { kind: 'unknown', reason: 'connection reset' } } as const;
  const provider = memoryProvider({ clock, model: 'plain', answer: ({ nth }) => (nth === 1 ? lost : undefined) });
  const channels = { email: { providers: [provider] }, sms: { providers: [provider] } };
  const config = { ledger: memoryLedger({ clock }), channels, notifications, ...(classes && { classes }) };
  return { clock, provider, notifier: createNotifier({ ...config, clock, random: seededRandom('classes') }) };
}

test('a login code whose reply was lost is sent again, and the possible duplicate is on record', async () => {
  const { clock, provider, notifier } = world();
  await notifier.publish('loginCode', { user: 'ann', phone: '+4915112345678', code: '1234' });
  await runFor(notifier, clock, 60_000);
  expect(provider.mailbox).toHaveLength(2);
  const record = await notifier.find(provider.mailbox[0]?.deliveryId ?? '');
  expect(record).toMatchObject({ state: 'sent', declarations: [{ kind: 'resend', afterAttempt: 1 }] });
});

test('an invoice whose reply was lost is parked, not sent again', async () => {
  const { clock, provider, notifier } = world();
  await notifier.publish('invoice', { number: 'i-1', email: 'ann@example.com' });
  await runFor(notifier, clock, 60_000);
  expect(provider.mailbox).toHaveLength(1);
  expect((await notifier.status()).deliveries.parked).toBe(1);
});
