import { isSendonceError, notificationId, type Ledger } from '@sendonce/core';
import { Cluster, Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { markRestored, redisLedger } from '../../src/ledgers/redis.ts';
import type { RedisServer, RedisServerOptions } from '../support/redis-server.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { clocked, clockOf } from './redis/clocked.ts';
import { loggingServer, places } from './redis/places.ts';
import { clockedLedgers, type ClockedLedger } from './redis/subject.ts';
import { expanded, LEASE, markOf, newDelivery, newNotification, sendDue, settleOf, targetOf } from './support.ts';

const { make, open, client } = places();
const ledgers = clockedLedgers();
const opened: { close(): Promise<void> }[] = [];
const lease = (requestId: string) => ({ ...LEASE, requestId });
const byId = (id: string, ageMs = 0) => ({ ids: [id], agesMs: [ageMs], strayAfterMs: 60_000 });
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

/** A server of a test's own, which it may break. */
async function own(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await loggingServer(options);
  opened.push(server);
  return server;
}

async function fenceOf(ledger: Ledger, id: string, requestId = 'r1'): Promise<number> {
  const [verdict] = await ledger.claim(byId(id), lease(requestId));
  return verdict?.kind === 'granted' ? verdict.fence : 0;
}

const errorOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('a server that drops records when its memory is full', () => {
  test('is refused, and taken once it does so no more', async () => {
    const redis = client((await own()).port);
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const ledger = redisLedger({ client: redis });
    const refused = await errorOf(ledger.accept([newNotification('n_x', 'x', [targetOf(1)])]));
    expect(isSendonceError(refused, 'LEDGER_REFUSED') && refused.message).toMatch(
      /maxmemory-policy is allkeys-lru.*run: CONFIG SET maxmemory-policy noeviction/,
    );
    expect(await redis.keys('*')).toEqual([]);
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    expect(await ledger.accept([newNotification('n_x', 'x', [targetOf(1)])])).toMatchObject([{ kind: 'accepted' }]);
  });

  test('is found again after a restart', async () => {
    const server = await own();
    const redis = client(server.port);
    const ledger = redisLedger({ client: redis, onWarning: () => undefined });
    await expanded(ledger, 1);
    await server.kill();
    await server.revive();
    await redis.config('SET', 'maxmemory-policy', 'volatile-ttl');
    await errorOf(ledger.sweep({ max: 1, reconcileLeaseMs: 1_000 }));
    await expect(ledger.count()).rejects.toMatchObject({ code: 'LEDGER_REFUSED' });
  });

  test('is warned of where it cannot be asked', async () => {
    const redis = client((await own()).port);
    await redis.acl('SETUSER', 'default', '-info', '-config');
    const warnings: string[] = [];
    const ledger = redisLedger({ client: redis, onWarning: (each) => warnings.push(each) });
    const ids = await expanded(ledger, 2);
    expect((await sendDue(ledger)).toSorted()).toEqual(ids.toSorted());
    expect(warnings).toEqual([
      expect.stringContaining('maxmemory-policy is noeviction'),
      expect.stringContaining('INFO'),
    ]);
  });
});

test('a server that keeps no log is warned of, once', async () => {
  const redis = client((await own()).port);
  await redis.config('SET', 'appendonly', 'no');
  const warnings: string[] = [];
  const ledger = redisLedger({ client: redis, onWarning: (each) => warnings.push(each) });
  await expanded(ledger, 1);
  await ledger.count();
  expect(warnings).toEqual([expect.stringMatching(/no append-only file.*run: CONFIG SET appendonly yes/)]);
});

describe('what Redis refuses', () => {
  const CASES: readonly (readonly [what: string, code: string, advice: RegExp, spoil: (redis: Redis) => unknown])[] = [
    ['memory that is full', 'LEDGER_FULL', /maxmemory/, (redis) => redis.config('SET', 'maxmemory', '1')],
    ['a replica', 'LEDGER_READ_ONLY', /connect to the master/, (redis) => redis.replicaof('127.0.0.1', 1)],
    [
      'a user without the right',
      'LEDGER_REFUSED',
      /EVAL/,
      (redis) => redis.acl('SETUSER', 'default', '-eval', '-evalsha'),
    ],
    [
      'a user without the right to a command of the scripts',
      'LEDGER_REFUSED',
      /EVAL/,
      (redis) => redis.acl('SETUSER', 'default', '-hset'),
    ],
    [
      "a key that is another program's",
      'LEDGER_CORRUPT',
      /name that nothing else/,
      (redis) => redis.set('{sendonce}:store', 'x'),
    ],
    [
      'data of a later release',
      'LEDGER_NEWER',
      /version 99/,
      (redis) => redis.hset('{sendonce}:store', 'schema', '99'),
    ],
    ['no server', 'LEDGER_UNAVAILABLE', /may be repeated/, (redis) => redis.disconnect()],
  ];
  test.for(CASES)('(%s) is told as %s with what to do', async ([, code, advice, spoil]) => {
    const redis = client((await own()).port);
    await spoil(redis);
    const error = await errorOf(redisLedger({ client: redis }).accept([newNotification('n_x', 'x', [targetOf(1)])]));
    expect(error).toMatchObject({ name: 'SendonceError', code, message: expect.stringMatching(advice) as string });
    expect((error as Error).message).not.toContain('\n');
  });

  test('because no password was given is told', async () => {
    const { port } = await own();
    await client(port).config('SET', 'requirepass', 'secret');
    await expect(redisLedger({ client: client(port) }).count()).rejects.toMatchObject({ code: 'LEDGER_REFUSED' });
  });

  test('is not written in part: what a full memory refuses leaves no trace, and goes on when there is room', async () => {
    const redis = client((await own()).port);
    const ledger = redisLedger({ client: redis });
    const id = notificationId('default', 'order', 'k1');
    await ledger.accept([newNotification(id, 'k1', [targetOf(1)])]);
    const [verdict] = await ledger.claimNotifications(byId(id), lease('r1'));
    const fence = verdict?.kind === 'granted' ? verdict.fence : 0;
    const deliveries = [newDelivery(id, targetOf(1))];
    const add = { notificationId: id, fence, page: 0, deliveries, sealTargets: null, leaseMs: 0 };
    await redis.config('SET', 'maxmemory', '1');
    await expect(ledger.add([add])).rejects.toMatchObject({ code: 'LEDGER_FULL' });
    expect((await ledger.count()).deliveries.queued).toBe(0);
    await redis.config('SET', 'maxmemory', '0');
    expect(await ledger.add([add])).toMatchObject([{ kind: 'added' }]);
  });

  test('joins no transaction', async () => {
    const place = await make();
    const joining = open(place).accept([newNotification('n_x', 'x', [targetOf(1)])], { transaction: {} });
    await expect(joining).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});

describe('another memory', () => {
  test('without the data lets nothing move for a while, lists what it lost, and nothing of it is sent twice unsaid', async () => {
    const server = await own();
    const redis = client(server.port);
    const clock = async (ms: number): Promise<unknown> => redis.set(clockOf('sendonce'), ms);
    const startMs = Date.UTC(2023, 10, 14);
    await clock(startMs);
    const ledger = redisLedger({ client: clocked(redis), onWarning: () => undefined });
    const notification = notificationId('default', 'order', 'k1');
    const [inFlight = '', queued = ''] = await expanded(ledger, 2);
    const fence = await fenceOf(ledger, inFlight);
    expect(await ledger.mark([markOf(inFlight, fence)])).toMatchObject([{ kind: 'go' }]);

    await server.kill();
    await server.revive();
    await clock(startMs + 60_000);
    expect(await ledger.claim(byId(queued, HOUR_MS), lease('r2'))).toMatchObject([{ kind: 'held' }]);
    expect(await ledger.settle([settleOf(inFlight, fence)])).toMatchObject([{ kind: 'absent' }]);
    // The producer cannot know what was kept, and publishes again.
    await ledger.accept([newNotification(notification, 'k1', [targetOf(0), targetOf(1)])]);
    expect(await ledger.claimNotifications(byId(notification), lease('r3'))).toMatchObject([{ kind: 'held' }]);

    await clock(startMs + 60_000 + 300_001);
    expect(await ledger.claim(byId('d_forgotten', HOUR_MS), lease('r4'))).toMatchObject([{ kind: 'stray' }]);
    const [again] = await ledger.claimNotifications(byId(notification), lease('r5'));
    if (again?.kind !== 'granted') throw new Error(again?.kind);
    expect(again.fence).toBeGreaterThan(fence);
    const deliveries = [newDelivery(notification, targetOf(0)), newDelivery(notification, targetOf(1))];
    const add = { notificationId: notification, fence: again.fence, page: 0, deliveries, sealTargets: null };
    await ledger.add([{ ...add, leaseMs: 0 }]);
    expect(await ledger.claim({ due: 10, lateMs: 0 }, lease('r6'))).toEqual([]);
    const { items } = await ledger.list({ states: ['sent', 'unknown'] });
    // What the late outcome was kept for is known to be sent; of the other nobody can know.
    expect(items.map(({ id, state }) => [id, state]).toSorted()).toEqual(
      [
        [inFlight, 'sent'],
        [queued, 'unknown'],
      ].toSorted(),
    );
    expect((await ledger.count()).strays).toBe(1);
    expect(await ledger.sweep({ max: 10, reconcileLeaseMs: 1_000 })).toMatchObject({
      epochChangedAt: startMs + 60_000,
    });
  });

  test('with an older copy of the data sends nothing again of what it had marked since', async () => {
    const server = await own();
    const redis = client(server.port);
    const startMs = Date.UTC(2023, 10, 14);
    await redis.set(clockOf('sendonce'), startMs);
    const options = { client: clocked(redis), onWarning: () => undefined };
    const before = redisLedger(options);
    const [inFlight = '', queued = ''] = await expanded(before, 2);
    await redis.save();
    const fence = await fenceOf(before, inFlight);
    expect(await before.mark([markOf(inFlight, fence)])).toMatchObject([{ kind: 'go' }]);

    await server.kill();
    await server.revive();
    // Whoever looks now has never seen the other memory.
    const ledger = redisLedger(options);
    expect((await ledger.find([inFlight]))[0]).toMatchObject({ state: 'queued', attempts: [] });
    expect(await ledger.claim(byId(inFlight), lease('r2'))).toMatchObject([{ kind: 'held' }]);
    await redis.set(clockOf('sendonce'), startMs + 300_001);
    expect(await ledger.claim({ due: 10, lateMs: 0 }, lease('r3'))).toEqual([]);
    expect(await ledger.settle([settleOf(inFlight, fence)])).toMatchObject([{ kind: 'evidence', state: 'sent' }]);
    expect((await ledger.find([queued]))[0]).toMatchObject({ state: 'unknown', attempts: [{ presumed: true }] });
  });

  const LOSSES: readonly [what: string, lose: (at: ClockedLedger) => Promise<unknown>, isEmpty: boolean][] = [
    [
      'that were emptied while it ran',
      async ({ redis, keys, elapse }) => {
        await redis.del(...(await keys()));
        await elapse(1_000);
      },
      true,
    ],
    [
      'that another process has begun anew',
      async ({ redis, keys, options }) => {
        await redis.del(...(await keys()));
        await redisLedger(options).accept([newNotification('n_new', 'new', [targetOf(9)])]);
      },
      true,
    ],
    [
      'of another process or another history',
      ({ redis, options }) => redis.hset(`{${options.name ?? ''}}:store`, 'identity', 'another'),
      false,
    ],
    ['that were put back', ({ options }) => markRestored(options, 300_000), false],
  ];
  test.for(LOSSES)('with data %s lets nothing move for a while, then presumes what it cannot know', async (of) => {
    const [, lose, isEmpty] = of;
    const place = await ledgers();
    const ledger = redisLedger(place.options);
    const [id = '', held = ''] = await expanded(ledger, 2);
    const fence = await fenceOf(ledger, held);
    await lose(place);
    expect(await ledger.claim(byId(id, HOUR_MS), lease('r2'))).toMatchObject([{ kind: 'held' }]);
    expect(await ledger.mark([markOf(held, fence)])).toMatchObject([{ kind: 'fenced' }]);
    await place.elapse(300_001);
    expect(await ledger.claim(byId(id, HOUR_MS), lease('r3'))).toMatchObject([{ kind: isEmpty ? 'stray' : 'unknown' }]);
    if (isEmpty) return;
    const [record] = await ledger.find([held]);
    expect(record).toMatchObject({ state: 'unknown', attempts: [{ presumed: true }] });
    expect(record?.fence).toBeGreaterThan(fence);
  });
});

describe('replicas that are waited for', () => {
  const wait = { replicas: 1, timeoutMs: 200 };

  test('have what a producer or operator is told, and each mark, before it counts; a repeat is waited for too', async () => {
    const [master, replica] = [await own(), await own()];
    const redis = client(master.port);
    const [id = '', other = ''] = await expanded(redisLedger({ client: redis }), 2);
    const ledger = redisLedger({ client: redis, wait });
    const fence = await fenceOf(ledger, id);
    const operator = { by: 'they', why: 'no' };
    const someone = { tenant: 'default', recipientId: 'someone-9', topic: '*', channel: '*' } as const;
    const strict: readonly (() => Promise<unknown>)[] = [
      () => ledger.mark([markOf(id, fence)]),
      () => ledger.mark([markOf(id, fence)]),
      () => ledger.cancel([{ id: other, ...operator }]),
      () => ledger.suppress([{ ...someone, suppressed: true, ...operator }]),
      () => ledger.accept([newNotification('n_x', 'x', [targetOf(1)])]),
      () => ledger.seal([{ notificationId: 'n_x', page: 0, targets: [targetOf(1)], last: true, fence: null }]),
    ];
    for (const call of strict) {
      const lost = await errorOf(call());
      expect(isSendonceError(lost, 'LEDGER_UNAVAILABLE') && lost.message).toContain('0 of 1 replicas confirmed');
    }

    const copy = client(replica.port);
    await copy.replicaof('127.0.0.1', master.port);
    await expect.poll(() => copy.info('replication'), { timeout: 10_000 }).toContain('master_link_status:up');
    expect(await ledger.mark([markOf(id, fence)])).toMatchObject([{ kind: 'go', attempt: 1 }]);
    expect(await copy.hget(`{sendonce}:d:${id}`, 's')).toMatch(/^dispatching/);
  });

  test('may come to a master that had none, which is no loss; to be one and to be promoted again is', async () => {
    const [master, replica] = [await own(), await own()];
    const [redis, copy] = [client(master.port), client(replica.port)];
    const ledger = redisLedger({ client: redis });
    const [id = ''] = await expanded(ledger, 1);
    await copy.replicaof('127.0.0.1', master.port);
    await expect.poll(() => copy.info('replication'), { timeout: 10_000 }).toContain('master_link_status:up');
    const fence = await fenceOf(ledger, id);
    expect(fence).toBeGreaterThan(0);
    expect(await ledger.sweep({ max: 1, reconcileLeaseMs: 1_000 })).toMatchObject({ epochChangedAt: null });

    // A failover that nobody saw, and back: what the replica had not got is gone.
    await copy.replicaof('NO', 'ONE');
    await redis.replicaof('127.0.0.1', replica.port);
    await expect.poll(() => redis.info('replication'), { timeout: 10_000 }).toContain('master_link_status:up');
    await redis.replicaof('NO', 'ONE');
    expect(await ledger.mark([markOf(id, fence)])).toMatchObject([{ kind: 'fenced' }]);
    expect((await ledger.sweep({ max: 1, reconcileLeaseMs: 1_000 })).epochChangedAt).not.toBeNull();
  });
});

describe('a Cluster', () => {
  test('carries the whole protocol in one slot', async () => {
    const { port } = await own({ cluster: true });
    const node = client(port);
    await node.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await expect.poll(() => node.call('CLUSTER', 'INFO'), { timeout: 10_000 }).toContain('cluster_state:ok');
    const cluster = new Cluster([{ host: '127.0.0.1', port }]);
    try {
      const ledger = redisLedger({ client: cluster });
      const ids = await expanded(ledger, 3);
      expect((await sendDue(ledger)).toSorted()).toEqual(ids.toSorted());
      const strict = redisLedger({ client: cluster, wait: { replicas: 1, timeoutMs: 50 } });
      await expect(strict.cancel([{ id: ids[0] ?? '', by: 'they', why: 'no' }])).rejects.toThrow('0 of 1 replicas');
      const slots = await Promise.all((await node.keys('*')).map((key) => node.cluster('KEYSLOT', key)));
      expect(new Set(slots).size).toBe(1);
    } finally {
      cluster.disconnect();
    }
  });
});

test('a client with a prefix for its keys keeps the ledger under it', async () => {
  const { port } = await own();
  const redis = new Redis({ port, host: '127.0.0.1', keyPrefix: 'app:' });
  try {
    const ledger = redisLedger({ client: redis });
    const ids = await expanded(ledger, 3);
    expect((await sendDue(ledger)).toSorted()).toEqual(ids.toSorted());
    const keys = await client(port).keys('*');
    expect(keys.filter((key) => !key.startsWith('app:{sendonce}:'))).toEqual([]);
  } finally {
    redis.disconnect();
  }
});

test('a connection that breaks for a while is waited out', async () => {
  const server = await own();
  const proxy = await tcpProxy(server.port);
  opened.push(proxy);
  const ledger = redisLedger({ client: client(proxy.port) });
  const [id = ''] = await expanded(ledger, 1);
  proxy.cut();
  expect(await ledger.claim(byId(id), lease('r1'))).toMatchObject([{ kind: 'granted' }]);
});

describe('what has had its time', () => {
  test('loses its content, then is forgotten; a dead letter keeps it', async () => {
    const { options, elapse, keys, redis } = await ledgers();
    const warnings: string[] = [];
    const settings = {
      ...options,
      contentRetentionMs: HOUR_MS,
      retentionMs: DAY_MS,
      onWarning: (each: string) => warnings.push(each),
    };
    const ledger = redisLedger(settings);
    // A process keeps house at most once a second, and another one at once.
    const keepHouse = () => redisLedger(settings).sweep({ max: 10, reconcileLeaseMs: 1_000 });
    const [kept = '', ...others] = await expanded(ledger, 5);
    const fence = await fenceOf(ledger, kept);
    await ledger.mark([markOf(kept, fence)]);
    const next = { kind: 'failed', reason: 'no' } as const;
    await ledger.settle([
      { ...settleOf(kept, fence), outcome: { kind: 'rejected', reason: 'no', scope: 'message' }, next },
    ]);
    expect((await sendDue(ledger)).toSorted()).toEqual(others.toSorted());
    await expanded(ledger, 1, 'k2');
    const [whole] = await sendDue(ledger, 1, 'r9');
    expect((await ledger.find(others))[0]).toMatchObject({ message: { text: 'hello' } });

    await elapse(HOUR_MS + 1);
    await keepHouse();
    const [letter, sent] = await ledger.find([kept, others[0] ?? '']);
    expect(sent).toMatchObject({ state: 'sent', message: {}, target: { data: {} } });
    expect(letter).toMatchObject({
      state: 'failed',
      message: { text: 'hello' },
      target: { data: { name: 'Someone 0' } },
    });
    const given = await ledger.findNotifications([
      letter?.notificationId ?? '',
      (await ledger.find([whole ?? '']))[0]?.notificationId ?? '',
    ]);
    expect(given).toMatchObject([{ data: { order: 'k1' } }, { data: null }]);

    await elapse(2 * DAY_MS);
    await keepHouse();
    await keepHouse();
    const { deliveries, notifications } = await ledger.count();
    expect([deliveries.sent, deliveries.failed, notifications.done]).toEqual([0, 0, 0]);
    const sums = `{${options.name ?? ''}}:sums`;
    const left = (await keys()).filter((key) => !key.includes(':claim:') && key !== sums && !key.endsWith(':store'));
    expect(left).toEqual([]);
    expect(Object.values(await redis.hgetall(sums)).filter((n) => n !== '0')).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('is never what is not settled: no record has a time to live', async () => {
    const place = await make();
    const ledger = open(place);
    await expanded(ledger, 3);
    await ledger.claim({ due: 2, lateMs: 0 }, lease('r1'));
    const redis = client(place.port);
    const living: string[] = [];
    for (const key of await redis.keys(`{${place.name}}:*`)) if ((await redis.pttl(key)) >= 0) living.push(key);
    expect(living.filter((key) => !key.includes(':claim:'))).toEqual([]);
  });
});

test('a record that cannot be read is set aside, and holds nobody up', async () => {
  const place = await make();
  const ledger = open(place);
  const [broken = '', ...others] = await expanded(ledger, 4);
  await client(place.port).hset(`{${place.name}}:d:${broken}`, 's', 'queued');
  expect((await sendDue(ledger)).toSorted()).toEqual(others.toSorted());
  expect((await ledger.count()).unreadable).toBe(1);
  expect(await ledger.find([broken])).toEqual([null]);
});

test.for([
  ['name', { name: 'a{b}' }],
  ['client', { client: {} }],
  ['wait', { wait: { replicas: 0, timeoutMs: 1 } }],
  ['quarantineMs', { quarantineMs: -1 }],
  ['contentRetentionMs', { contentRetentionMs: 2 * DAY_MS, retentionMs: DAY_MS }],
] as const)('a wrong %s is refused', ([name, wrong]) => {
  expect(() => redisLedger({ client: client(1), ...(wrong as object) })).toThrow(new RegExp(name));
});
