import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import {
  createNotifier,
  defineConfig,
  notification,
  type Destinations,
  type Ledger,
  type Provider,
} from '@sendonce/core';
import { memoryDestinations, memoryLedger, memoryProvider } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';
import { postgresDestinations } from '../../src/destinations/postgres.ts';
import { redisDestinations } from '../../src/destinations/redis.ts';
import { sqliteDestinations } from '../../src/destinations/sqlite.ts';
import { postgresLedger } from '../../src/ledgers/postgres.ts';
import { redisLedger } from '../../src/ledgers/redis.ts';
import { sqliteLedger } from '../../src/ledgers/sqlite.ts';
import { fcm } from '../../src/providers/fcm.ts';
import { loggingServer } from '../ledgers/redis/places.ts';
import { server } from '../ledgers/postgres/server.ts';
import { answer, fakeHttp } from '../providers/support/fake-http.ts';

const running = server();
const redis = loggingServer();
const folder = mkdtempSync(join(tmpdir(), 'sendonce-destinations-'));
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
  await (await redis).close();
  rmSync(folder, { recursive: true });
});

interface Stores {
  readonly ledger: Ledger;
  readonly destinations: Destinations;
}

const STORES: Readonly<Record<string, () => Promise<Stores>>> = {
  async memory() {
    return { ledger: memoryLedger({ clock: systemClock }), destinations: memoryDestinations({ clock: systemClock }) };
  },
  async 'one SQLite file'() {
    const file = join(folder, 'all.db');
    return { ledger: sqliteLedger({ file }), destinations: sqliteDestinations({ file }) };
  },
  async 'one PostgreSQL database'() {
    const client = new pg.Pool({ connectionString: (await running).url });
    closing.push(() => client.end());
    const schema = `flow_${process.pid}`;
    const ledger = postgresLedger({ client, schema });
    await ledger.migrate();
    const destinations = postgresDestinations({ client, table: `${schema}.destinations` });
    await destinations.migrate();
    return { ledger, destinations };
  },
  async 'one Redis'() {
    const client = new Redis((await redis).port, '127.0.0.1');
    closing.push(() => client.disconnect());
    return { ledger: redisLedger({ client, name: 'flow' }), destinations: redisDestinations({ client, name: 'flow' }) };
  },
};

/** Publishes to these recipients, and lets a worker run until every delivery is settled and what was proven is reported. */
async function tell(
  { ledger, destinations }: Stores,
  push: Provider,
  recipients: readonly string[],
  ids: readonly string[],
): Promise<void> {
  const own = { ...ledger, close: () => Promise.resolve() };
  const notifier = createNotifier(
    defineConfig({
      ledger: own,
      destinations: { ...destinations, close: () => Promise.resolve() },
      channels: { push: { providers: [push] } },
      notifications: {
        news: notification<{ readonly id: string }>({
          class: 'transactional',
          key: ({ id }) => id,
          route: () => recipients.map((id) => ({ channel: 'push', id })),
          content: () => ({ subject: 'News', text: 'News' }),
        }),
      },
      worker: { pollMs: 20, sweepMs: 20, chunk: 4 },
    }),
  );
  for (const id of ids) {
    const stop = new AbortController();
    const { id: published } = await notifier.publish('news', { id });
    const working = notifier.worker().run({ signal: stop.signal });
    while ((await notifier.find(published))?.state !== 'done') await systemClock.sleep(10);
    stop.abort();
    await working;
  }
  await notifier.close();
}

const owner = (recipientId: string) => ({ tenant: 'default', channel: 'push', recipientId }) as const;

test.each(Object.keys(STORES))('every device of ten people is told, and a dead one once: %s', async (name) => {
  const stores = await STORES[name]!();
  const people = Array.from({ length: 10 }, (_, i) => `person-${i}`);
  const devices = ['phone', 'tablet', 'watch'];
  await stores.destinations.register(
    people.flatMap((person) => devices.map((id) => ({ ...owner(person), id, to: `${person}/${id}` }))),
  );
  const push = memoryProvider({ clock: systemClock, name: 'push' });
  const asked: string[] = [];
  push.answerWith(({ message: { to } }) => {
    asked.push(to);
    const reply = { kind: 'rejected', scope: 'destination', reason: 'gone' } as const;
    return to.startsWith('person-3/') ? { reply } : undefined;
  });
  await tell(stores, push, people, ['o1']);
  expect(asked.toSorted()).toEqual(people.flatMap((person) => devices.map((id) => `${person}/${id}`)).toSorted());
  expect(push.mailbox).toHaveLength(27);
  asked.length = 0;
  await tell(stores, push, people, ['o2']);
  expect(asked).toHaveLength(27);
  const { addresses } = await stores.destinations.list({ tenant: 'default', channel: 'push', state: 'dead' });
  expect(addresses.map(({ address }) => address).sort()).toEqual(devices.map((id) => `person-3/${id}`));
  await stores.ledger.close();
  await stores.destinations.close();
});

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

test.each([
  [400, 'INVALID_ARGUMENT', 'usable'],
  [404, 'UNREGISTERED', 'dead'],
  [403, 'SENDER_ID_MISMATCH', 'dead'],
])("an answer of Firebase's, %s %s, leaves the token %s", async (status, code, state) => {
  const google = await fakeHttp(({ line }) => {
    const token = JSON.stringify({ access_token: 't', expires_in: 3_599, token_type: 'Bearer' });
    const refusal = JSON.stringify({ error: { code: status, message: 'in words', details: [{ errorCode: code }] } });
    return { write: line.includes('/token') ? answer(200, token) : answer(status, refusal), then: 'close' };
  });
  const stores = await STORES['memory']!();
  await stores.destinations.register([{ ...owner('ann'), id: 'phone', to: 'tok:1' }]);
  const push = fcm({
    serviceAccount: {
      project_id: 'shop-1',
      client_email: 'sender@example.com',
      private_key: privateKey,
      token_uri: `${google.url}/token`,
    },
    baseUrl: google.url,
  });
  // As often as makes a guess tempting.
  await tell(stores, push, ['ann'], ['o1', 'o2', 'o3']);
  expect(await stores.destinations.health([{ ...owner('ann'), to: 'tok:1' }])).toMatchObject([{ state }]);
  const sends = google.complete.filter(({ line }) => line.includes('messages:send'));
  expect(sends.length).toBeGreaterThanOrEqual(state === 'dead' ? 1 : 3);
  await google.close();
});
