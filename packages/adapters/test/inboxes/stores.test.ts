import { Cluster, Redis } from 'ioredis';
import Database from 'libsql';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { inboxSchema as postgresSchema, postgresInbox } from '../../src/inboxes/postgres.ts';
import { redisInbox } from '../../src/inboxes/redis.ts';
import { inboxSchema as sqliteSchema, sqliteInbox } from '../../src/inboxes/sqlite.ts';
import { memoryInbox, type Inbox } from '../../src/inboxes/memory.ts';
import { ANN, idsOf, itemsFor, put, unreadOf } from '../../src/internal/inbox/laws/subject.ts';
import { redisServer } from '../support/redis-server.ts';
import { memoryPlace, postgresPlaces, redisPlaces, sqlitePlace } from './stores.ts';

const postgres = postgresPlaces();
const redis = redisPlaces();

describe('an inbox in PostgreSQL', () => {
  test('without its tables says which command makes them', async () => {
    const { pool } = await postgres();
    const inbox = postgresInbox({ client: pool, table: 'nothing_here' });
    for (const call of [() => inbox.list(ANN), () => put(inbox, ANN, 1), () => inbox.markRead({ ...ANN, ids: ['d'] })])
      await expect(call()).rejects.toMatchObject({
        code: 'LEDGER_NOT_MIGRATED',
        message: expect.stringMatching(
          /no inbox 'nothing_here'.*npx notify migrate.*--print.*await inbox\.migrate\(\)/,
        ) as string,
      });
  });

  test('is made once by many that migrate at the same time, also in a schema of the application', async () => {
    const { pool } = await postgres();
    await pool.query('CREATE SCHEMA IF NOT EXISTS shop');
    const table = 'shop.messages';
    const inboxes = Array.from({ length: 8 }, () => postgresInbox({ client: pool, table }));
    await Promise.all(inboxes.map((inbox) => inbox.migrate()));
    expect(inboxes[0]?.migrationSql()).toBe(postgresSchema({ table }));
    await put(inboxes[0]!, ANN, 2);
    await inboxes[1]!.migrate();
    expect(await unreadOf(inboxes[2]!, ANN)).toBe(2);
  });

  test('shows nothing of a transaction that is open, and misses nothing of it when others commit before', async () => {
    const { inbox, other, pool, table } = await postgres();
    const { since } = await inbox.unread(ANN);
    const slow = await pool.connect();
    await slow.query('BEGIN');
    await slow.query(`SELECT ${table}_put('shop', 'ann', '[{"id":"slow","body":"{}"}]')`);
    // It waits for its number until the slow one has committed, and so cannot be seen before.
    const quick = other!.put([{ ...ANN, id: 'quick', content: { text: 'x' } }]);
    await vi.waitFor(async () => {
      const { rows } = await pool.query('SELECT 1 FROM pg_locks WHERE NOT granted');
      expect(rows.length).toBeGreaterThan(0);
    });
    expect((await inbox.changes({ ...ANN, since })).changes).toEqual([]);
    await slow.query('COMMIT');
    slow.release();
    await quick;
    expect((await inbox.changes({ ...ANN, since })).changes.map(({ id }) => id)).toEqual(['slow', 'quick']);
  });

  test('gives no number twice, to a message that comes while another is being marked', async () => {
    const { inbox, other, pool, table } = await postgres();
    await put(inbox, ANN, 1);
    const { since } = await inbox.unread(ANN);
    const slow = await pool.connect();
    await slow.query('BEGIN');
    await slow.query(`SELECT ${table}_mark('shop', 'ann', 'read', '["d_1"]', NULL, NULL, NULL)`);
    const quick = other!.put([{ ...ANN, id: 'quick', content: { text: 'x' } }]);
    await vi.waitFor(async () => {
      const { rows } = await pool.query('SELECT 1 FROM pg_locks WHERE NOT granted');
      expect(rows.length).toBeGreaterThan(0);
    });
    await slow.query('COMMIT');
    slow.release();
    await quick;
    const { changes } = await inbox.changes({ ...ANN, since });
    expect(changes.map(({ id, change }) => [id, change])).toEqual([
      ['d_1', 2],
      ['quick', 3],
    ]);
  });

  test('goes on where the application has every transaction serializable', async () => {
    const { pool, table } = await postgres();
    const client = new pg.Pool({ ...pool.options, options: '-c default_transaction_isolation=serializable' });
    onTestFinished(() => client.end());
    const inbox = postgresInbox({ client, table });
    await Promise.all(
      Array.from({ length: 10 }, (_, i) => inbox.put([{ ...ANN, id: `d_${i}`, content: { text: 'x' } }])),
    );
    expect(await unreadOf(inbox, ANN)).toBe(10);
  });
});

describe('an inbox in SQLite', () => {
  test('makes its tables in a database of the application, beside its own', async () => {
    const database = new Database(':memory:');
    onTestFinished(() => void database.close());
    database.exec(sqliteSchema({ table: 'messages' }));
    const inbox = sqliteInbox({ database, table: 'messages' });
    await put(inbox, ANN, 2);
    await inbox.close();
    expect(database.prepare('SELECT count(*) AS n FROM messages').get()).toMatchObject({ n: 2 });
    expect(() => sqliteInbox({})).toThrow('give either file or database');
  });

  test('keeps what was put when the process ends', async () => {
    const { inbox, file, close } = await sqlitePlace();
    await put(inbox, ANN, 2);
    await inbox.close();
    await expect(inbox.list(ANN)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    const again = sqliteInbox({ file });
    expect(await idsOf(again, ANN)).toEqual(['d_2', 'd_1']);
    await again.close();
    await close?.();
  });
});

describe('an inbox in Redis', () => {
  test('lives in a Cluster, each inbox on one node', async () => {
    const server = await redisServer({ cluster: true });
    const node = new Redis(server.port, '127.0.0.1');
    await node.cluster('ADDSLOTSRANGE', 0, 16_383);
    await vi.waitFor(async () => expect(await node.cluster('INFO')).toContain('cluster_state:ok'), 10_000);
    const client = new Cluster([{ host: '127.0.0.1', port: server.port }]);
    const inbox = redisInbox({ client });
    const owners = Array.from({ length: 20 }, (_, i) => ({ tenant: '{x}', recipientId: `r${i}` }));
    await inbox.put(owners.flatMap((owner) => itemsFor(owner, 2)));
    for (const owner of owners) expect((await inbox.markRead({ ...owner, ids: ['d_1'] })).unread).toBe(1);
    expect(await inbox.clean({ olderThanMs: 0, max: 100 })).toBe(40);
    client.disconnect();
    node.disconnect();
    await server.close();
  });

  test('leaves nothing behind of a recipient who was erased, nor of inboxes that were cleaned', async () => {
    const { inbox, client, name } = await redis();
    await inbox.put([...itemsFor(ANN, 3), ...itemsFor({ recipientId: 'bob' }, 2)]);
    await inbox.archive({ ...ANN, ids: ['d_1', 'd_2'] });
    await inbox.markRead({ ...ANN, ids: ['d_2'] });
    expect((await client.keys(`${name}:*`)).length).toBeGreaterThan(10);
    await inbox.erase(ANN);
    expect((await client.keys(`${name}:{shop*`)).length).toBe(0);
    await inbox.clean({ olderThanMs: 0, max: 10 });
    expect(await client.keys(`${name}:*`)).toEqual([]);
  });

  test('that is out of reach says so as an inbox', async () => {
    const { client, name } = await redis();
    await client.set(`${name}:{default:ann}:store`, 'something else');
    await expect(redisInbox({ client, name }).unread({ recipientId: 'ann' })).rejects.toMatchObject({
      code: 'LEDGER_CORRUPT',
      message: expect.stringContaining(`inbox '${name}' in Redis`) as string,
    });
  });
});

describe.each<[string, () => Promise<{ readonly inbox: Inbox }>]>([
  ['memory', memoryPlace],
  ['PostgreSQL', postgres],
])('an inbox in %s', (_, place) => {
  test.each<[what: string, call: (inbox: Inbox) => unknown, words: RegExp]>([
    ['no owner', (inbox) => inbox.unread(undefined as never), /unread takes an object/],
    ['an owner without a name', (inbox) => inbox.unread({ recipientId: '' }), /recipientId must be a text of 1 to 512/],
    ['a tenant that is a number', (inbox) => inbox.list({ tenant: 7 as never, recipientId: 'a' }), /tenant must be/],
    ['a name with a line break', (inbox) => inbox.list({ recipientId: 'a\n' }), /without control characters/],
    ['half of a character', (inbox) => inbox.list({ recipientId: '\ud83d' }), /without control characters/],
    ['a page without end', (inbox) => inbox.list({ ...ANN, limit: 1e9 }), /limit must be a whole number from 1 to 100/],
    ['a cursor of its own making', (inbox) => inbox.list({ ...ANN, cursor: "1' OR 1" }), /cursor must be as it came/],
    ['nothing to put', (inbox) => inbox.put([]), /a list of 1 to 1,000/],
    [
      'a content that is a text',
      (inbox) => inbox.put([{ ...ANN, id: 'd', content: 'x' as never }]),
      /object that JSON/,
    ],
    ['a content in a circle', (inbox) => inbox.put([{ ...ANN, id: 'd', content: circle() }]), /object that JSON/],
    ['too many ids', (inbox) => inbox.archive({ ...ANN, ids: Array<string>(1_001).fill('d') }), /at most 1,000/],
    ['an age below 0', (inbox) => inbox.clean({ olderThanMs: -1, max: 1 }), /olderThanMs must be/],
  ])('refuses %s', async (_what, call, words) => {
    const { inbox } = await place();
    await expect((async () => call(inbox))()).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(words) as string,
    });
  });
});

test('an inbox has options of its own alone', () => {
  expect(() => memoryInbox({ pollMs: 0 })).toThrow(/pollMs must be a number from 10/);
  expect(() => redisInbox({ client: {} as never })).toThrow(/client must be a client of the 'ioredis' package/);
  expect(() => postgresInbox({ client: {} as never })).toThrow(/client must be/);
  expect(() => postgresSchema({ table: 'Drop table' })).toThrow(/table must be the name of a table/);
});

function circle(): never {
  const content: Record<string, unknown> = {};
  content['self'] = content;
  return content as never;
}
