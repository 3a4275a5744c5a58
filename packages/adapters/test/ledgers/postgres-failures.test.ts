import { isSendonceError, type Ledger } from '@sendonce/core';
import { afterEach, describe, expect, test } from 'vitest';
import { markRestored, migrate, migrationSql, postgresLedger } from '../../src/ledgers/postgres.ts';
import { places } from './postgres/places.ts';
import { proxyTo, type Proxy } from './postgres/proxy.ts';
import { clockedSchemas } from './postgres/subject.ts';
import { expanded, LEASE, markOf, newNotification, sendDue, settleOf, targetOf } from './support.ts';

const { make, open, pool, url } = places();
const schemas = clockedSchemas();
const proxies: Proxy[] = [];
const lease = (requestId: string) => ({ ...LEASE, requestId });
const byId = (id: string) => ({ ids: [id], agesMs: [0], strayAfterMs: 60_000 });
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});

async function fenceOf(ledger: Ledger, id: string, requestId = 'r1'): Promise<number> {
  const [verdict] = await ledger.claim(byId(id), lease(requestId));
  return verdict?.kind === 'granted' ? verdict.fence : 0;
}

describe('a connection that is lost', () => {
  test.for([
    ['before', 'processing'],
    ['after', 'dispatching'],
  ] as const)(
    '%s a mark is committed is told as such, and the repeated mark is the same one',
    async ([when, stands]) => {
      const place = await make();
      const direct = open(place);
      const [id = ''] = await expanded(direct, 1);
      const proxy = await proxyTo(Number(new URL(place.url).port));
      proxies.push(proxy);
      const ledger = open({ ...place, url: place.url.replace(/:\d+\//, `:${proxy.port}/`) });
      const fence = await fenceOf(ledger, id);
      proxy.cut('verdict', when);
      const lost = await ledger.mark([markOf(id, fence)]).catch((error: unknown) => error);
      expect(isSendonceError(lost, 'LEDGER_UNAVAILABLE')).toBe(true);
      // The server may still be at it when its client is gone already.
      await expect.poll(async () => (await direct.find([id]))[0]?.state).toBe(stands);
      expect(await ledger.mark([markOf(id, fence)])).toMatchObject([{ kind: 'go', attempt: 1 }]);
      expect((await direct.find([id]))[0]?.attempts).toHaveLength(1);
      expect(await ledger.settle([settleOf(id, fence)])).toMatchObject([{ kind: 'settled', state: 'sent' }]);
    },
  );
});

describe('what PostgreSQL refuses', () => {
  test('is told with a code and with what to do', async () => {
    const place = await make();
    const server = await url();
    const admin = pool(server);
    const name = place.schema;
    await admin.query(`CREATE ROLE ${name}_reader LOGIN; GRANT USAGE ON SCHEMA ${name} TO ${name}_reader;
      GRANT SELECT ON ALL TABLES IN SCHEMA ${name} TO ${name}_reader`);
    const as = (user: string): string => server.replace('postgres@', `${user}@`);
    const cases: readonly (readonly [ledger: Ledger, code: string, advice: RegExp])[] = [
      [open({ ...place, schema: 'nothing_here' }), 'LEDGER_NOT_MIGRATED', /run once: npx notify migrate/],
      [open({ ...place, url: server.replace(/postgres$/, 'no_such') }), 'LEDGER_REFUSED', /no such database/],
      [open({ ...place, url: as('nobody_here') }), 'LEDGER_REFUSED', /user/],
      [open({ ...place, url: as(`${name}_reader`) }), 'LEDGER_REFUSED', /grant/],
      [
        open({ ...place, url: `${server}?options=-c%20default_transaction_read_only%3Don` }),
        'LEDGER_READ_ONLY',
        /primary/,
      ],
      [open({ ...place, url: server.replace(/:\d+\//, ':1/') }), 'LEDGER_UNAVAILABLE', /may be repeated/],
    ];
    for (const [ledger, code, advice] of cases) {
      const error: unknown = await ledger
        .accept([newNotification('n_x', 'x', [targetOf(1)])])
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'SendonceError', code, message: expect.stringMatching(advice) as string });
      expect((error as Error).message).not.toContain('\n');
    }
    await admin.query(`DROP OWNED BY ${name}_reader; DROP ROLE ${name}_reader`);
  });

  test('because it took too long may be repeated', async () => {
    const place = await make();
    const ledger = open(place);
    const ids = await expanded(ledger, 1);
    const blocking = await pool(place.url).connect();
    await blocking.query(`BEGIN; SELECT 1 FROM ${place.schema}.states FOR UPDATE`);
    const hurried = open({ ...place, url: `${place.url}?statement_timeout=200` });
    await expect(hurried.claim(byId(ids[0] ?? ''), lease('r1'))).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    await blocking.query('ROLLBACK');
    blocking.release();
    expect(await hurried.claim(byId(ids[0] ?? ''), lease('r1'))).toMatchObject([{ kind: 'granted' }]);
  });

  test('because the schema is of a later release is left alone', async () => {
    const place = await make();
    await pool(place.url).query(`INSERT INTO ${place.schema}.migrations (version) VALUES (99)`);
    await expect(open(place).count()).rejects.toMatchObject({ code: 'LEDGER_NEWER' });
  });
});

test('a user with rights on the schema alone can do all the work, in the same memory as its owner', async () => {
  const place = await make();
  const user = `${place.schema}_worker`;
  const admin = pool(place.url);
  await admin.query(`CREATE ROLE ${user} LOGIN; GRANT USAGE ON SCHEMA ${place.schema} TO ${user};
    GRANT ALL ON ALL TABLES IN SCHEMA ${place.schema} TO ${user}; GRANT ALL ON ALL SEQUENCES IN SCHEMA ${place.schema} TO ${user};
    REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC`);
  const worker = open({ ...place, url: place.url.replace('postgres@', `${user}@`) });
  const ids = await expanded(worker, 3);
  expect(await open(place).sweep({ max: 10, reconcileLeaseMs: 1_000 })).toMatchObject({ epochChangedAt: null });
  expect((await sendDue(worker)).toSorted()).toEqual(ids.toSorted());
  await admin.query(
    `GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC; DROP OWNED BY ${user}; DROP ROLE ${user}`,
  );
});

describe('migrate', () => {
  test('may run again, and several times at once', async () => {
    const client = pool(await url(), { max: 6 });
    const schema = `migrated_${process.pid}`;
    await Promise.all(Array.from({ length: 6 }, () => migrate({ client, schema })));
    await client.query(migrationSql({ schema }));
    const { rows } = await client.query(`SELECT version FROM ${schema}.migrations`);
    expect(rows).toEqual([{ version: 1 }]);
    expect((await postgresLedger({ client, schema }).count()).strays).toBe(0);
  });

  test.for(['Ledger', 'a-b', 'x"; DROP', ''])('takes no schema %j, whose name would need quoting', (schema) => {
    expect(() => migrationSql({ schema })).toThrow(/schema must be/);
  });
});

test('warns once when the server may forget what it has committed', async () => {
  const place = await make();
  const warnings: string[] = [];
  const client = pool(`${place.url}?options=-c%20synchronous_commit%3Doff`);
  const ledger = postgresLedger({ client, schema: place.schema, onWarning: (each) => warnings.push(each) });
  await ledger.count();
  await ledger.count();
  expect(warnings).toEqual([expect.stringContaining('synchronous_commit is off')]);
});

describe('another memory', () => {
  const MEMORIES: readonly [what: string, lose: (at: Awaited<ReturnType<typeof schemas>>) => Promise<unknown>][] = [
    [
      'of another server or timeline',
      ({ pool: client, schema }) => client.query(`UPDATE ${schema}.store SET identity = 'another'`),
    ],
    ['of a restored copy', ({ pool: client, schema }) => markRestored({ client, schema }, 300_000)],
  ];
  test.for(MEMORIES)('%s lets nothing move for a while, then presumes what it cannot know', async ([, lose]) => {
    const place = await schemas();
    const ledger = postgresLedger({ client: place.pool, schema: place.schema });
    const [id = '', held = ''] = await expanded(ledger, 2);
    const fence = await fenceOf(ledger, held);
    await lose(place);
    expect(await ledger.claim(byId(id), lease('r2'))).toMatchObject([{ kind: 'held' }]);
    expect(await ledger.mark([markOf(held, fence)])).toMatchObject([{ kind: 'fenced' }]);
    await place.elapse(300_001);
    expect(await ledger.claim(byId(id), lease('r3'))).toMatchObject([{ kind: 'unknown' }]);
    const [record] = await ledger.find([held]);
    expect(record).toMatchObject({ state: 'unknown', attempts: [{ presumed: true }] });
    expect(record?.fence).toBeGreaterThan(fence);
    await place.giveBack();
  });
});

describe('what has had its time', () => {
  test('loses its content, then is forgotten; a dead letter keeps it', async () => {
    const place = await schemas();
    const { pool: client, schema, elapse } = place;
    const warnings: string[] = [];
    const options = {
      client,
      schema,
      contentRetentionMs: HOUR_MS,
      retentionMs: DAY_MS,
      onWarning: (each: string) => warnings.push(each),
    };
    const ledger = postgresLedger(options);
    const [kept = '', ...others] = await expanded(ledger, 5);
    const fence = await fenceOf(ledger, kept);
    await ledger.release([{ id: kept, fence, delayMs: 0, failure: 'no' }]);
    const dead = await fenceOf(ledger, kept, 'r2');
    await ledger.mark([markOf(kept, dead)]);
    const next = { kind: 'failed', reason: 'no' } as const;
    await ledger.settle([
      { ...settleOf(kept, dead), outcome: { kind: 'rejected', reason: 'no', scope: 'message' }, next },
    ]);
    expect((await sendDue(ledger)).toSorted()).toEqual(others.toSorted());
    expect((await ledger.find(others))[0]).toMatchObject({ message: { text: 'hello' } });

    await elapse(HOUR_MS + 1);
    // A process keeps house at most once a second, and another one at once.
    await postgresLedger(options).sweep({ max: 10, reconcileLeaseMs: 1_000 });
    const [letter, sent] = await ledger.find([kept, others[0] ?? '']);
    expect(sent).toMatchObject({ state: 'sent', message: {}, target: { data: {} } });
    expect(letter).toMatchObject({
      state: 'failed',
      message: { text: 'hello' },
      target: { data: { name: 'Someone 0' } },
    });

    await elapse(2 * DAY_MS);
    await postgresLedger(options).sweep({ max: 10, reconcileLeaseMs: 1_000 });
    await postgresLedger(options).sweep({ max: 10, reconcileLeaseMs: 1_000 });
    const { deliveries, notifications } = await ledger.count();
    expect([deliveries.sent, deliveries.failed, notifications.done]).toEqual([0, 0, 0]);
    for (const table of ['notifications', 'pages', 'deliveries', 'states', 'contents', 'messages'])
      expect((await client.query(`SELECT 1 FROM ${schema}.${table}`)).rows, table).toEqual([]);
    expect(warnings).toEqual([]);
    await place.giveBack();
  });
});

test('a row that cannot be read is set aside, and holds nobody up', async () => {
  const place = await make();
  const ledger = open(place);
  const [broken = '', ...others] = await expanded(ledger, 4);
  await pool(place.url).query(`UPDATE ${place.schema}.states SET body = 'no JSON' WHERE id = '${broken}'`);
  expect((await sendDue(ledger)).toSorted()).toEqual(others.toSorted());
  expect((await ledger.count()).unreadable).toBe(1);
  expect(await ledger.find([broken])).toEqual([null]);
});
