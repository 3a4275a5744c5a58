import { testForgetting } from './forgetting.ts';
import { providerKey, type Ledger } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { postgresLedger } from '../../src/ledgers/postgres.ts';
import { interrupted, places } from './postgres/places.ts';
import { clockedSchemas } from './postgres/subject.ts';
import { claimed, lease, optOut, testLookedAlready, testSixteen, type RacePlace } from './races.ts';
import { expanded, markOf, sendDue, settleOf } from './support.ts';

const { make, open, pool, url: serverUrl } = places();
const schemas = clockedSchemas();

/** One pool for all that race: a server has so many connections. */
async function race(): Promise<RacePlace> {
  const { schema, url } = await make();
  const shared = pool(url, { max: 16 });
  return {
    open: () => postgresLedger({ client: shared, schema }),
    interrupted: (between) => postgresLedger({ schema, client: interrupted(pool(url), between) }),
  };
}

async function noDeadlocks(): Promise<void> {
  const { rows } = await pool(await serverUrl()).query<{ deadlocks: string }>(
    `SELECT sum(deadlocks) AS deadlocks FROM pg_stat_database`,
  );
  expect(Number(rows[0]?.deadlocks)).toBe(0);
}

describe('between the reading and the writing of a call', () => {
  testLookedAlready(race);
  testForgetting(race);

  test('a delivery that is made and marked is named by the opt-out that could not have seen it', async () => {
    const place = await make();
    const other = open(place);
    let made = '';
    const slow = postgresLedger({
      schema: place.schema,
      client: interrupted(pool(place.url), async () => {
        [made = ''] = await expanded(other, 1);
        await other.mark([markOf(made, await claimed(other, made))]);
      }),
    });
    expect(await slow.suppress([optOut])).toEqual([{ tooLate: [made] }]);
  });

  test('a pause of the worker counts: it decides again by the time that it is then', async () => {
    const { pool: clocked, schema, elapse, giveBack } = await schemas();
    const ledger = postgresLedger({ client: clocked, schema });
    const [id = ''] = await expanded(ledger, 1);
    const fence = await claimed(ledger, id);
    const mark = { ...markOf(id, fence), dispatchMs: 60_000, sendMarginMs: 1_000 };
    const sleepy = postgresLedger({ schema, client: interrupted(clocked, () => elapse(40_000)) });
    expect(await sleepy.mark([mark])).toMatchObject([{ kind: 'go', sendWithinMs: 59_000 }]);
    const [record] = await ledger.find([id]);
    expect(record?.dispatchUntil).toBe((record?.updatedAt ?? 0) + 60_000);
    expect(record?.attempts.map(({ markedAt }) => markedAt - record.createdAt)).toEqual([40_000]);
    await giveBack();
  });

  test('an event about the message that a settle is writing down is matched soon after', async () => {
    const { pool: clocked, schema, giveBack } = await schemas();
    const ledger = postgresLedger({ client: clocked, schema });
    const [id = ''] = await expanded(ledger, 1);
    const fence = await claimed(ledger, id);
    await ledger.mark([markOf(id, fence)]);
    const event = {
      deliveryId: null,
      provider: 'smtp',
      providerMessageId: `m-${id}`,
      kind: 'delivered',
      at: 1,
      detail: null,
    } as const;
    const slow = postgresLedger({ schema, client: interrupted(clocked, () => ledger.record([event])) });
    await slow.settle([settleOf(id, fence)]);
    expect((await ledger.find([id]))[0]?.state).toBe('sent');
    await postgresLedger({ client: clocked, schema }).sweep({ max: 10, reconcileLeaseMs: 1_000 });
    expect((await ledger.find([id]))[0]?.state).toBe('delivered');
    const { rows } = await clocked.query(`SELECT 1 FROM ${schema}.kept`);
    expect(rows).toEqual([]);
    await giveBack();
  });
});

describe('many workers at once', () => {
  testSixteen(race, noDeadlocks);

  test('two that publish the same key at once make one notification', async () => {
    const place = await make();
    const ledger = open(place);
    await expanded(ledger, 0, 'warm');
    const made = await Promise.all(Array.from({ length: 6 }, () => open(place).accept([newOrder()])));
    expect(made.flat().filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
    expect(made.flat().filter(({ kind }) => kind === 'repeated')).toHaveLength(5);
  });
});

describe('a cancel of a notification that sixteen workers are sending', () => {
  test('gets its turn, and after it nothing is marked', async () => {
    const place = await make();
    const shared = pool(place.url, { max: 16 });
    const first = postgresLedger({ client: shared, schema: place.schema });
    const ids = await expanded(first, 2_000);
    let isCancelled = false;
    let markedAfter = 0;
    const workers = Array.from({ length: 16 }, async (_, w) => {
      const ledger = postgresLedger({ client: shared, schema: place.schema });
      for (let round = 0; ; round += 1) {
        const held = await ledger.claim({ due: 5, lateMs: 0 }, lease(`${w}-${round}`, `w${w}`));
        const fences = held.flatMap((each) => (each.kind === 'granted' ? [each] : []));
        if (fences.length === 0) return;
        const wasCancelled = isCancelled;
        const marks = await ledger.mark(fences.map(({ id, fence }) => markOf(id, fence)));
        const gone = marks.filter((mark) => mark.kind === 'go').length;
        if (wasCancelled) markedAfter += gone;
        await ledger.settle(fences.map(({ id, fence }) => settleOf(id, fence)));
      }
    });
    const canceller = postgresLedger({ client: pool(place.url), schema: place.schema });
    const [id = ''] = (await first.find(ids.slice(0, 1))).map((record) => record?.notificationId);
    const [verdict] = await canceller.cancel([{ id, by: 'they', why: 'a mistake' }]);
    isCancelled = true;
    expect(verdict?.kind).toBe('cancelled');
    await Promise.all(workers);
    expect(markedAfter).toBe(0);
    const { deliveries } = await first.count();
    expect(deliveries.cancelled).toBeGreaterThan(0);
    expect(deliveries.cancelled + deliveries.sent).toBe(2_000);
  });
});

describe('a query function of another library', () => {
  test.for([
    ['rows in an object', (rows: unknown[]) => ({ rows })],
    ['bare rows', (rows: unknown[]) => rows],
  ] as const)('carries the whole protocol with %s', async ([, answer]) => {
    const place = await make();
    const inner = pool(place.url);
    const ledger = postgresLedger({
      schema: place.schema,
      client: {
        query: async (text: string, values: string[]) => answer((await inner.query(text, values)).rows as unknown[]),
      },
    });
    const ids = await expanded(ledger, 3);
    expect((await sendDue(ledger)).toSorted()).toEqual(ids.toSorted());
    expect(await ledger.find([ids[0] ?? ''])).toMatchObject([
      { state: 'sent', attempts: [{ key: providerKey(ids[0] ?? '', 'smtp') }] },
    ]);
  });
});

describe('with `prepare`', () => {
  test('a usual statement has one name for each text, and other values each time', async () => {
    const place = await make();
    const inner = pool(place.url);
    const named = new Map<string, Set<string>>();
    const client = {
      query(asked: string | { name: string; text: string }, values?: string[]): Promise<unknown> {
        if (typeof asked === 'string') return inner.query(asked, values);
        named.set(asked.text, (named.get(asked.text) ?? new Set()).add(asked.name));
        return inner.query(asked);
      },
    };
    const ledger = postgresLedger({ schema: place.schema, client, prepare: true });
    for (const key of ['a', 'b', 'c']) {
      await expanded(ledger, 3, key);
      expect(await sendDue(ledger, 3, key)).toHaveLength(3);
    }
    const names = [...named.values()].flatMap((each) => [...each]);
    expect(names.length).toBeGreaterThan(3);
    expect(new Set(names).size).toBe(named.size);
    expect(names.length).toBe(named.size);
  });
});

function newOrder(): Parameters<Ledger['accept']>[0][number] {
  return {
    id: 'n_same',
    tenant: 'default',
    type: 'order',
    key: 'same',
    class: 'transactional',
    fingerprint: 'f1',
    data: {},
    sendAt: null,
    expiresInMs: null,
    recipients: 'route',
    page: null,
  };
}
