import { notificationId, type Ledger } from '@sendonce/core';
import type { Redis } from 'ioredis';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CLAIM } from '../../src/internal/redis/claim-script.ts';
import { READ } from '../../src/internal/redis/read-script.ts';
import { WRITE } from '../../src/internal/redis/write-script.ts';
import { redisLedger, type RedisClientLike } from '../../src/ledgers/redis.ts';
import { tcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { places } from './redis/places.ts';
import { expanded, LEASE, markOf, newDelivery, newNotification, sendDue, settleOf, targetOf } from './support.ts';

const { make, open, client, server } = places();
const proxies: TcpProxy[] = [];
const lease = { ...LEASE, requestId: 'r1' };
const byId = (id: string) => ({ ids: [id], agesMs: [0], strayAfterMs: 60_000 });
const operator = { by: 'they', why: 'they asked' };
const optOut = { tenant: 'default', recipientId: 'someone-0@example.com', topic: 'order', channel: '*' } as const;
const REJECTED = { kind: 'rejected', reason: 'no', scope: 'message' } as const;

afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});

/** A delivery on its way, and who may write about it. */
interface Scene {
  readonly ledger: Ledger;
  readonly id: string;
  readonly fence: number;
}
type Prepare = (ledger: Ledger) => Promise<Omit<Scene, 'ledger'>>;

const made: Prepare = async (ledger) => ({ id: (await expanded(ledger, 1))[0] ?? '', fence: 0 });
const claimed: Prepare = async (ledger) => {
  const { id } = await made(ledger);
  const [verdict] = await ledger.claim(byId(id), { ...lease, requestId: 'earlier' });
  return { id, fence: verdict?.kind === 'granted' ? verdict.fence : 0 };
};
const marked: Prepare = async (ledger) => {
  const scene = await claimed(ledger);
  await ledger.mark([markOf(scene.id, scene.fence)]);
  return scene;
};
const dead: Prepare = async (ledger) => {
  const scene = await marked(ledger);
  const next = { kind: 'failed', reason: 'no' } as const;
  await ledger.settle([{ ...settleOf(scene.id, scene.fence), outcome: REJECTED, next }]);
  return scene;
};
/** The notification, of which nothing moves any more. */
const over: Prepare = async (ledger) => {
  await dead(ledger);
  await ledger.sweep({ max: 1, reconcileLeaseMs: 1_000 });
  return { id: notificationId('default', 'order', 'k1'), fence: 0 };
};
const unclear: Prepare = async (ledger) => {
  const scene = await marked(ledger);
  const next = { kind: 'unknown', reconcileInMs: 0, reason: 'no answer' } as const;
  await ledger.settle([
    { ...settleOf(scene.id, scene.fence), outcome: { kind: 'unknown', reason: 'no answer' }, next },
  ]);
  return scene;
};
const accepted: Prepare = async (ledger) => {
  const id = notificationId('default', 'order', 'k1');
  await ledger.accept([newNotification(id, 'k1', [targetOf(1), targetOf(2)])]);
  return { id, fence: 0 };
};
const routed: Prepare = async (ledger) => {
  const { id } = await accepted(ledger);
  const [verdict] = await ledger.claimNotifications(byId(id), lease);
  return { id, fence: verdict?.kind === 'granted' ? verdict.fence : 0 };
};

/** Every call that writes: what comes before it, the call, what it answers when its reply was lost, and moves in the story after it. */
const CALLS: readonly (readonly [
  name: string,
  prepare: Prepare,
  call: (scene: Scene) => Promise<unknown>,
  answer: unknown,
  moves: number,
])[] = [
  [
    'accept',
    async () => ({ id: 'n_new', fence: 0 }),
    ({ ledger, id }) => ledger.accept([newNotification(id, 'k', [targetOf(1)])]),
    [{ kind: 'repeated' }],
    0,
  ],
  [
    'claimNotifications',
    accepted,
    ({ ledger }) => ledger.claimNotifications({ due: 1, lateMs: 0 }, lease),
    [{ kind: 'granted' }],
    0,
  ],
  [
    'add',
    routed,
    ({ ledger, id, fence }) => {
      const deliveries = [newDelivery(id, targetOf(1)), newDelivery(id, targetOf(2))];
      return ledger.add([{ notificationId: id, fence, page: 0, deliveries, sealTargets: null, leaseMs: 0 }]);
    },
    [{ kind: 'repeated' }],
    0,
  ],
  ['claim by id', made, ({ ledger, id }) => ledger.claim(byId(id), lease), [{ kind: 'granted' }], 2],
  ['claim of what is due', made, ({ ledger }) => ledger.claim({ due: 5, lateMs: 0 }, lease), [{ kind: 'granted' }], 2],
  ['renew', claimed, ({ ledger, id, fence }) => ledger.renew([{ id, fence }], 60_000), [{ kind: 'ok' }], 2],
  [
    'release',
    claimed,
    ({ ledger, id, fence }) => ledger.release([{ id, fence, delayMs: 0, failure: null }]),
    [{ kind: 'fenced' }],
    3,
  ],
  [
    'mark',
    claimed,
    ({ ledger, id, fence }) => ledger.mark([markOf(id, fence)]),
    [{ kind: 'go', attempt: 1, message: { text: 'hello' } }],
    3,
  ],
  [
    'settle',
    marked,
    ({ ledger, id, fence }) => ledger.settle([settleOf(id, fence)]),
    [{ state: 'sent', duplicate: false }],
    4,
  ],
  [
    'reconcile',
    unclear,
    async ({ ledger, id }) => {
      const [record] = await ledger.find([id]);
      return ledger.reconcile([{ id, fence: record?.fence ?? 0, decision: { kind: 'park', reason: 'no' } }]);
    },
    [{ kind: 'fenced', state: 'parked' }],
    5,
  ],
  [
    'record',
    marked,
    ({ ledger, id }) =>
      ledger.record([
        { deliveryId: id, provider: 'smtp', providerMessageId: 'm1', kind: 'delivered', at: 1, detail: null },
      ]),
    [{ state: 'delivered' }],
    4,
  ],
  ['cancel', made, ({ ledger, id }) => ledger.cancel([{ id, ...operator }]), [{ kind: 'cancelled' }], 2],
  [
    'suppress',
    made,
    ({ ledger }) => ledger.suppress([{ ...optOut, suppressed: true, ...operator }]),
    [{ tooLate: [] }],
    1,
  ],
  [
    'block',
    made,
    ({ ledger }) => ledger.block([{ scope: 'all', blocked: true, recheckMs: 1_000, ...operator }]),
    undefined,
    1,
  ],
  [
    'replay',
    dead,
    ({ ledger, id }) => ledger.replay([{ id, forced: false, automatic: false, ...operator }]),
    [{ kind: 'repeated' }],
    4,
  ],
  [
    'forget',
    over,
    ({ ledger, id }) => ledger.forget([{ id, settledForMs: 0 }]),
    [{ kind: 'forgotten', record: { key: 'k1' } }],
    0,
  ],
];

async function movesOf(ledger: Ledger, id: string): Promise<number> {
  return (await ledger.history(id)).length;
}

test('the calls are all of those that write', () => {
  const names = new Set(CALLS.map(([name]) => name.split(' ')[0]));
  const others = new Set(
    'capabilities seal sweep find findNotifications list listNotifications count history close'.split(' '),
  );
  const ledger = redisLedger({ client: client(1) });
  expect(Object.keys(ledger).filter((name) => !names.has(name) && !others.has(name))).toEqual([]);
});

describe('a lost reply, with a client that sends again by itself', () => {
  test.for(CALLS)('of %s is as if it had come: it was written once, and the call finds it', async (of) => {
    const [, prepare, call, answer, moves] = of;
    const place = await make();
    const direct = open(place);
    // The reply that is lost is to be that of the script, not that the server has not seen it yet.
    await client(place.port).script('LOAD', WRITE.text);
    const { id, fence } = await prepare(direct);
    const proxy = await tcpProxy((await server).port);
    proxies.push(proxy);
    const ledger = open({ ...place, port: proxy.port });
    await ledger.count();
    const lost = proxy.loseReply((request) => request.includes(WRITE.sha));
    const result = await call({ ledger, id, fence });
    await lost;
    if (answer === undefined) expect(result).toBeUndefined();
    else expect(result).toMatchObject(answer as object);
    expect(proxy.connections).toBe(2);
    expect(await movesOf(direct, id)).toBe(moves);
  });

  test.for(CALLS)('of %s is so too where the process has in hand what it is about', async (of) => {
    const [, prepare, call, answer, moves] = of;
    const place = await make();
    for (const { text } of [WRITE, CLAIM]) await client(place.port).script('LOAD', text);
    const proxy = await tcpProxy((await server).port);
    proxies.push(proxy);
    const ledger = open({ ...place, port: proxy.port });
    await ledger.sweep({ max: 1, reconcileLeaseMs: 1_000 });
    const { id, fence } = await prepare(ledger);
    const lost = proxy.loseReply((request) => request.includes(WRITE.sha) || request.includes(CLAIM.sha));
    const result = await call({ ledger, id, fence });
    await lost;
    if (answer === undefined) expect(result).toBeUndefined();
    else expect(result).toMatchObject(answer as object);
    expect(proxy.connections).toBe(2);
    expect(await movesOf(open(place), id)).toBe(moves);
  });

  test('of any request, one after the other, loses nothing, doubles nothing, and charges no attempt', async () => {
    for (let at = 1, isOver = false; !isOver; at += 1) {
      const place = await make();
      const proxy = await tcpProxy((await server).port);
      let requests = 0;
      const lost = proxy.loseReply(() => (requests += 1) === at).then(() => 'lost');
      const ledger = open({ ...place, port: proxy.port });
      const ids = await expanded(ledger, 3);
      expect((await sendDue(ledger)).toSorted(), `request ${at}`).toEqual(ids.toSorted());
      const { deliveries, notifications } = await ledger.count();
      expect([deliveries.queued, deliveries.sent, notifications.done], `request ${at}`).toEqual([0, 3, 1]);
      for (const record of await ledger.find(ids)) expect(record).toMatchObject({ charged: 1, lapses: 0 });
      for (const id of ids) {
        const moves = (await ledger.history(id)).map(({ to }) => to);
        expect(moves, `request ${at}`).toEqual(['queued', 'processing', 'dispatching', 'sent']);
      }
      isOver = (await Promise.race([lost, Promise.resolve('none')])) === 'none';
      await proxy.close();
      if (isOver) expect(at).toBeGreaterThan(15);
    }
  });

  test('of the reading is as if it had come', async () => {
    const place = await make();
    const { id } = await made(open(place));
    const proxy = await tcpProxy((await server).port);
    proxies.push(proxy);
    const ledger = open({ ...place, port: proxy.port });
    await ledger.count();
    const lost = proxy.loseReply((request) => request.includes(READ.sha));
    expect(await ledger.claim(byId(id), lease)).toMatchObject([{ kind: 'granted' }]);
    await lost;
  });
});

describe('a late copy', () => {
  test.for(CALLS)('of what %s has written changes nothing when it arrives after all', async ([, prepare, call]) => {
    const place = await make();
    const redis = client(place.port);
    const { id, fence } = await prepare(open(place));
    const copies: (() => Promise<unknown>)[] = [];
    const ledger = redisLedger({ name: place.name, client: remembering(redis, copies) });
    await call({ ledger, id, fence });
    await changesNothing(redis, place.name, copies);
  });

  test.for(CALLS)(
    'of what %s has written from what it had in hand changes nothing either',
    async ([, prepare, call]) => {
      const place = await make();
      const redis = client(place.port);
      const copies: (() => Promise<unknown>)[] = [];
      const ledger = redisLedger({ name: place.name, client: remembering(redis, copies) });
      await ledger.sweep({ max: 1, reconcileLeaseMs: 1_000 });
      const { id, fence } = await prepare(ledger);
      copies.length = 0;
      await call({ ledger, id, fence });
      await changesNothing(redis, place.name, copies);
    },
  );

  test('of a claim leaves alone what was marked, and what came due, since', async () => {
    const place = await make();
    const copies: (() => Promise<unknown>)[] = [];
    const ledger = redisLedger({ name: place.name, client: remembering(client(place.port), copies) });
    await ledger.sweep({ max: 1, reconcileLeaseMs: 1_000 });
    expect(await ledger.claim({ due: 5, lateMs: 0 }, lease)).toEqual([]);
    const { id, fence } = await marked(ledger);
    expect(copies.length).toBeGreaterThan(2);
    for (const copy of copies) await copy();
    expect((await ledger.find([id]))[0]).toMatchObject({ state: 'dispatching', fence });
    const [waiting = ''] = await expanded(ledger, 1, 'k2');
    for (const copy of copies) await copy();
    expect((await ledger.find([waiting]))[0]).toMatchObject({ state: 'queued' });
  });

  test('of a pause does not bring it back after it was lifted', async () => {
    const place = await make();
    const copies: (() => Promise<unknown>)[] = [];
    const ledger = redisLedger({ name: place.name, client: remembering(client(place.port), copies) });
    const pause = { scope: 'all', blocked: true, recheckMs: 1_000, ...operator };
    await ledger.block([pause]);
    await ledger.block([{ ...pause, blocked: false }]);
    expect(await copies[0]?.()).toBe(0);
    const { id, fence } = await claimed(ledger);
    expect(await ledger.mark([markOf(id, fence)])).toMatchObject([{ kind: 'go' }]);
  });
});

async function changesNothing(redis: Redis, name: string, copies: readonly (() => Promise<unknown>)[]): Promise<void> {
  const [first] = copies;
  if (first === undefined) throw new Error('nothing was written');
  const before = await dataOf(redis, name);
  expect([0, [expect.anything(), [], [], 1]]).toContainEqual(await first());
  expect(await dataOf(redis, name)).toEqual(before);
}

describe('a connection that is half open', () => {
  const STEPS = CALLS.filter(([name]) => ['claim by id', 'claim of what is due', 'mark', 'settle'].includes(name));
  afterEach(() => vi.useRealTimers());

  test.for(STEPS)('in %s is given up, and a repeat finds what became of it: nothing twice', async (of) => {
    const [, prepare, call, answer, moves] = of;
    const place = await make();
    const proxy = await tcpProxy((await server).port);
    proxies.push(proxy);
    const ledger = open({ ...place, port: proxy.port });
    await ledger.sweep({ max: 1, reconcileLeaseMs: 1_000 });
    const { id, fence } = await prepare(ledger);
    proxy.swallow();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const given = call({ ledger, id, fence }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await given).toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    vi.useRealTimers();
    // The client sends what it still has, for nobody; the caller asks again.
    proxy.resume();
    proxy.cut();
    expect(await call({ ledger, id, fence })).toMatchObject(answer as object);
    expect(await movesOf(open(place), id)).toBe(moves);
    expect((await ledger.find([id]))[0]?.attempts.length).toBe(Math.max(0, moves - 2) > 0 ? 1 : 0);
  });
});

/** Keeps what writes, to be sent once more. */
function remembering(redis: Redis, copies: (() => Promise<unknown>)[]): RedisClientLike {
  const keep = (script: string, args: (string | number | Buffer)[]): void => {
    for (const { sha, text } of [WRITE, CLAIM])
      if (script === sha || script === text) copies.push(() => redis.eval(text, 1, ...args));
  };
  return {
    evalsha(sha, keys, ...args) {
      keep(sha, args);
      return redis.evalsha(sha, keys, ...args);
    },
    eval(text, keys, ...args) {
      if (copies.length === 0) keep(text, args);
      return redis.eval(text, keys, ...args);
    },
    pipeline: (commands) => redis.pipeline(commands),
  };
}

async function dataOf(redis: Redis, name: string): Promise<Record<string, unknown>> {
  const read: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    hash: (key) => redis.hgetall(key),
    zset: (key) => redis.zrange(key, '0', '-1', 'WITHSCORES'),
    set: async (key) => (await redis.smembers(key)).toSorted(),
    string: (key) => redis.get(key),
  };
  const data: Record<string, unknown> = {};
  for (const key of await redis.keys(`{${name}}:*`)) data[key] = await read[await redis.type(key)]?.(key);
  return data;
}
