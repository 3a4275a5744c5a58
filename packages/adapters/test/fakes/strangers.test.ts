import { generateKeyPairSync } from 'node:crypto';
import type { Provider } from '@sendonce/core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fakeApns } from '../../src/fakes/apns.ts';
import { fakeFcm } from '../../src/fakes/fcm.ts';
import { fakeSes } from '../../src/fakes/ses.ts';
import { fakeSesV2 } from '../../src/fakes/sesv2.ts';
import type { WireFake } from '../../src/fakes/support/fake.ts';
import { fakeWebhook } from '../../src/fakes/webhook.ts';
import { apns } from '../../src/providers/apns.ts';
import { fcm } from '../../src/providers/fcm.ts';
import { ses } from '../../src/providers/ses.ts';
import { sesv2 } from '../../src/providers/sesv2.ts';
import { webhook } from '../../src/providers/webhook.ts';
import { contextOf, outgoing } from '../providers/support/sending.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) await close();
});

async function at<Fake extends WireFake>(fake: Fake, make: (url: string) => Provider): Promise<Provider> {
  const server = await fake.listen();
  const provider = make(server.url);
  closing.push(async () => {
    await provider.close();
    await server.close();
  });
  return provider;
}

const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret' };
const from = 'a@acme.test';
const region = 'eu-west-1';
const push = outgoing({ channel: 'push', to: 'ab'.repeat(32) });

describe('a fake that checks signatures', () => {
  test.each([
    ['another secret', { ...credentials, secretAccessKey: 'other' }, 'SignatureDoesNotMatch'],
    ['another key', { ...credentials, accessKeyId: 'OTHER' }, 'InvalidClientTokenId'],
  ])('of SES knows %s in both versions', async (_what, given, code) => {
    for (const [fake, make] of [
      [fakeSesV2({ credentials }), sesv2],
      [fakeSes({ credentials }), ses],
    ] as const) {
      const provider = await at(fake, (endpoint) => make({ from, region, credentials: given, endpoint }));
      expect(await provider.send(outgoing(), contextOf())).toMatchObject({ kind: 'rejected', scope: 'provider', code });
      expect([fake.mailbox.length, fake.requests.length]).toEqual([0, 1]);
    }
  });

  test('of webhooks knows another secret, and one of its own that is too old', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const [ours, theirs] = ['a', 'b'].map((each) => `whsec_${Buffer.alloc(24, each).toString('base64')}`) as [
      string,
      string,
    ];
    let ahead = 0;
    const fake = fakeWebhook({ secret: ours, now: () => Date.now() + ahead });
    const message = outgoing({ channel: 'webhook', content: { a: 1 } });
    const stranger = await at(fake, (url) => webhook({ url, secret: theirs }));
    expect(await stranger.send(message, contextOf())).toMatchObject({ kind: 'rejected', code: '401' });
    const known = await at(fake, (url) => webhook({ url, secret: ours }));
    ahead = 302_000;
    expect(await known.send(message, contextOf())).toMatchObject({ kind: 'rejected', code: '401' });
    ahead = 298_000;
    expect(await known.send(message, contextOf())).toMatchObject({ kind: 'accepted' });
    expect(fake.mailbox).toHaveLength(1);
  });

  test('of APNs knows another key, another topic, a stale token and a device that is not there', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let ahead = 0;
    const fake = fakeApns({ devices: [push.to], now: () => Date.now() + ahead });
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
    const by = (patch: object) => at(fake, (baseUrl) => apns({ ...fake.credentials, baseUrl, ...patch }));
    const sent = async (patch: object, to = push.to) => (await by(patch)).send({ ...push, to }, contextOf());
    expect(await sent({ key: key.toString() })).toMatchObject({ code: 'InvalidProviderToken' });
    expect(await sent({ topic: 'com.other' })).toMatchObject({ code: 'DeviceTokenNotForTopic' });
    expect(await sent({}, 'cd'.repeat(32))).toMatchObject({ scope: 'destination', code: 'BadDeviceToken' });
    ahead = 3_601_000;
    const late = await by({});
    expect(await late.send(push, contextOf())).toMatchObject({
      kind: 'deferred',
      reason: 'HTTP 403 (ExpiredProviderToken): ExpiredProviderToken',
    });
    ahead = 0;
    expect(await late.send(push, contextOf({ attempt: 2 }))).toMatchObject({ kind: 'accepted' });
    expect(fake.mailbox).toHaveLength(1);
  });

  test('of FCM gives no token for another key, and knows when its tokens end', async () => {
    let ahead = 0;
    const fake = fakeFcm({ tokens: [push.to], now: () => Date.now() + ahead });
    const other = fakeFcm().serviceAccount().private_key;
    const stranger = await at(fake, (baseUrl) =>
      fcm({ serviceAccount: { ...fake.serviceAccount(baseUrl), private_key: other }, baseUrl }),
    );
    expect(await stranger.send(push, contextOf())).toMatchObject({ kind: 'not-sent' });
    const known = await at(fake, (baseUrl) => fcm({ serviceAccount: fake.serviceAccount(baseUrl), baseUrl }));
    expect(await known.send(push, contextOf())).toMatchObject({ kind: 'accepted' });
    expect(await known.send({ ...push, to: 'gone' }, contextOf())).toMatchObject({ code: 'UNREGISTERED' });
    ahead = 3_599_000;
    expect(await known.send(push, contextOf())).toMatchObject({ kind: 'accepted' });
    const mine = (): number => fake.requests.filter(({ url }) => url.pathname === '/token').length;
    expect(mine()).toBe(2);
  });
});
