import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Destinations } from '@sendonce/core';
import { postgresDestinations } from '../../src/destinations/postgres.ts';
import { redisDestinations } from '../../src/destinations/redis.ts';
import { sqliteDestinations } from '../../src/destinations/sqlite.ts';
import { server } from '../ledgers/postgres/server.ts';
import { bundled } from '../support/bundled.ts';
import { redisServer } from '../support/redis-server.ts';
import { OWNER, TOKENS, type Order, type Place } from './processes/protocol.ts';

const running = server();
const redis = redisServer();
const folder = mkdtempSync(join(tmpdir(), 'sendonce-destinations-'));
const children: ChildProcess[] = [];
const closing: (() => unknown)[] = [];
let script = '';
let tables = 0;

beforeAll(async () => {
  script = await bundled(new URL('processes/child.ts', import.meta.url), 'destinations-child');
});
afterAll(async () => {
  for (const each of children) each.kill('SIGKILL');
  for (const close of closing) await close();
  await (await redis).close();
  rmSync(script, { force: true });
  rmSync(folder, { recursive: true });
});

interface Opened {
  readonly place: Place;
  readonly destinations: Destinations;
}

const PLACES: Readonly<Record<Place['kind'], () => Promise<Opened>>> = {
  async sqlite() {
    const place = { kind: 'sqlite', file: join(folder, `${(tables += 1)}.db`) } as const;
    return { place, destinations: sqliteDestinations({ file: place.file }) };
  },
  async postgres() {
    const place = {
      kind: 'postgres',
      url: (await running).url,
      table: `racing_${process.pid}_${(tables += 1)}`,
    } as const;
    const client = new pg.Pool({ connectionString: place.url });
    closing.push(() => client.end());
    const destinations = postgresDestinations({ client, table: place.table });
    await destinations.migrate();
    return { place, destinations };
  },
  async redis() {
    const place = { kind: 'redis', port: (await redis).port, name: `racing-${(tables += 1)}` } as const;
    const client = new Redis(place.port, '127.0.0.1');
    closing.push(() => client.disconnect());
    return { place, destinations: redisDestinations({ client, name: place.name }) };
  },
};

async function child(place: Place, recipientId: string): Promise<(order: Order) => Promise<void>> {
  const forked = fork(script, [JSON.stringify([place, recipientId])], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.push(forked);
  const answer = (): Promise<unknown> => new Promise((resolve) => forked.once('message', resolve));
  await answer();
  return async (order) => {
    const answered = answer();
    forked.send(order);
    const said = await answered;
    if (said !== 'done') throw new Error(String(said));
  };
}

const ANN = { ...OWNER, recipientId: 'ann' };
const BOB = { ...OWNER, recipientId: 'bob' };
const kinds = Object.keys(PLACES) as Place['kind'][];

test.each(kinds)(
  'two processes that register the same tokens for two people leave one owner of each: %s',
  async (kind) => {
    const { place, destinations } = await PLACES[kind]();
    const [ann, bob] = await Promise.all([child(place, 'ann'), child(place, 'bob')]);
    for (let round = 0; round < 3; round += 1)
      await Promise.all([ann({ what: 'register', at: 0 }), bob({ what: 'register', at: 0 })]);
    const [ofAnn = [], ofBob = []] = await destinations.of([ANN, BOB]);
    expect([...ofAnn, ...ofBob].map(({ to }) => to).sort()).toEqual([...TOKENS].sort());
    // Nothing is left of them behind anybody's back either.
    await destinations.forget([ANN, BOB]);
    for (const { registeredAt } of await destinations.health(TOKENS.map((to) => ({ ...OWNER, to }))))
      expect(registeredAt).toBeNull();
    await destinations.close();
  },
);

test.each(kinds)(
  'evidence of one process that meets a registration of another loses where it is the older: %s',
  async (kind) => {
    const { place, destinations } = await PLACES[kind]();
    const [ann, bob] = await Promise.all([child(place, 'ann'), child(place, 'bob')]);
    await ann({ what: 'register', at: 0 });
    const [first] = await destinations.health([{ ...OWNER, to: TOKENS.at(-1)! }]);
    const at = first!.registeredAt! + 1;
    // The store's clock passes that moment before anything is registered again.
    for (let now = 0; now <= at;) {
      await destinations.register([{ ...OWNER, recipientId: 'clock', id: 'c', to: 'c' }]);
      now = (await destinations.of([{ ...OWNER, recipientId: 'clock' }]))[0]![0]!.seenAt;
    }
    await Promise.all([ann({ what: 'register', at: 0 }), bob({ what: 'report', at })]);
    const health = await destinations.health(TOKENS.map((to) => ({ ...OWNER, to })));
    expect(new Set(health.map(({ state }) => state))).toEqual(new Set(['usable']));
    expect(new Set(health.map(({ evidence }) => evidence.length))).toEqual(new Set([1]));
    await destinations.close();
  },
);
