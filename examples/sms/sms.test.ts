import { fakeInfobip } from '@sendonce/adapters/fakes/infobip';
import { fakeTwilio } from '@sendonce/adapters/fakes/twilio';
import { createNotifier } from '@sendonce/core';
import { memoryLedger } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configFor, smsProviders } from './sms.ts';

// #region world
const first = fakeInfobip({ apiKey: 'ib_secret' });
const second = fakeTwilio({ secret: 'tw_secret' });
const closing: (() => Promise<unknown>)[] = [];

async function world() {
  const [infobip, twilio] = [await first.listen(), await second.listen()];
  const providers = smsProviders({
    infobip: { apiKey: 'ib_secret', baseUrl: infobip.url },
    twilio: { accountSid: `AC${'0'.repeat(32)}`, authToken: 'tw_secret', baseUrl: twilio.url },
  });
  const notifier = createNotifier(configFor(memoryLedger({ clock: systemClock }), providers));
  const stop = new AbortController();
  const running = notifier.worker().run({ signal: stop.signal });
  closing.push(async () => {
    stop.abort();
    await running;
    await notifier.close();
    // What listens keeps its process alive.
    await Promise.all([infobip.close(), twilio.close()]);
  });
  return notifier;
}

beforeEach(() => {
  first.reset();
  second.reset();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
// #endregion

// #region sent
test('a code goes out once, however the number was typed', async () => {
  const notifier = await world();
  const code = { attempt: 'a-1', phone: '0171 1234567', code: '471100' };
  await notifier.publish('loginCode', code);
  await notifier.publish('loginCode', { ...code });
  await expect.poll(() => first.mailbox.map(({ to }) => to), { timeout: 10_000 }).toEqual(['491711234567']);
  expect(second.requests).toEqual([]);
});
// #endregion

// #region failover
test('the second vendor sends what the first says that it does not reach', async () => {
  const notifier = await world();
  first.always({ kind: 'refuse', code: '6' });
  await notifier.publish('shipped', { id: 'o-1', phone: '+49 171 1234567' });
  await expect.poll(() => second.mailbox.length, { timeout: 10_000 }).toBe(1);
  expect(first.mailbox).toEqual([]);
});
// #endregion

test('a number that is no mobile fails alone, and nobody is asked', async () => {
  const notifier = await world();
  await notifier.publish('shipped', { id: 'o-2', phone: '+49 30 1234567' });
  await expect.poll(async () => (await notifier.status()).deliveries.failed, { timeout: 10_000 }).toBe(1);
  expect([first.requests, second.requests]).toEqual([[], []]);
});
