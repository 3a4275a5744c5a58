import { createECDH } from 'node:crypto';
import { fakeApns } from '@sendonce/adapters/fakes/apns';
import { fakeFcm } from '@sendonce/adapters/fakes/fcm';
import { fakeWebPush } from '@sendonce/adapters/fakes/web-push';
import { createNotifier } from '@sendonce/core';
import { memoryDestinations, memoryLedger } from '@sendonce/core/memory';
import { systemClock as clock } from '@sendonce/core/system';
import { afterEach, expect, test } from 'vitest';
import { appStarted, configFor, push } from './push.ts';

// #region world
const google = fakeFcm();
const apple = fakeApns();
const browsers = fakeWebPush();
const closing: (() => Promise<unknown>)[] = [];

async function world() {
  const [atGoogle, atApple, atBrowsers] = [await google.listen(), await apple.listen(), await browsers.listen()];
  const provider = push({
    google: { serviceAccount: google.serviceAccount(atGoogle.url), baseUrl: atGoogle.url },
    apple: { ...apple.credentials, baseUrl: atApple.url },
    browsers: { vapid: vapidKeys(), allow: () => true, privateAddresses: true },
  });
  const destinations = memoryDestinations({ clock });
  const notifier = createNotifier(configFor(memoryLedger({ clock }), destinations, provider));
  const stop = new AbortController();
  const running = notifier.worker().run({ signal: stop.signal });
  closing.push(async () => {
    stop.abort();
    await running;
    await notifier.close();
    // What listens keeps its process alive.
    await Promise.all([atGoogle, atApple, atBrowsers].map((each) => each.close()));
  });
  const start = (installation: string, token: string) =>
    appStarted(destinations, { customer: 'ann', installation, token });
  return { notifier, destinations, start, subscription: browsers.subscribe(atBrowsers.url) };
}

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  for (const fake of [google, apple, browsers]) fake.reset();
});
// #endregion

function vapidKeys() {
  const keys = createECDH('prime256v1');
  const publicKey = keys.generateKeys().toString('base64url');
  return { subject: 'mailto:push@shop.test', publicKey, privateKey: keys.getPrivateKey().toString('base64url') };
}

// #region sent
test('each device is told once, by the service that gave out its token', async () => {
  const { notifier, start, subscription } = await world();
  const phone = 'ab'.repeat(32);
  await start('tablet', 'fcm-token:APA91b');
  await start('phone', phone);
  await start('browser', subscription);
  await notifier.publish('shipped', { id: 'o-1', customer: 'ann' });
  await expect.poll(async () => (await notifier.status()).deliveries.sent, { timeout: 10_000 }).toBe(3);
  expect([google, apple, browsers].map(({ mailbox }) => mailbox.length)).toEqual([1, 1, 1]);
  expect(apple.mailbox[0]?.to).toBe(phone);
});
// #endregion

// #region dead
test('a device whose app was removed is dead, and not asked again until it registers', async () => {
  const { notifier, start, destinations } = await world();
  await start('tablet', 'fcm-token:APA91b');
  google.next({ kind: 'refuse', code: 'UNREGISTERED' });
  await notifier.publish('shipped', { id: 'o-1', customer: 'ann' });
  const address = { tenant: 'default', channel: 'push', to: 'fcm-token:APA91b' } as const;
  await expect.poll(async () => (await destinations.health([address]))[0]?.state, { timeout: 10_000 }).toBe('dead');
});
// #endregion
