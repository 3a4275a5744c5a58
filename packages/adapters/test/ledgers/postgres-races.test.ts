import { setImmediate as turn } from 'node:timers/promises';
import { providerKey, type Ledger } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { postgresLedger } from '../../src/ledgers/postgres.ts';
import { interrupted, places } from './postgres/places.ts';
import { clockedSchemas } from './postgres/subject.ts';
import { expanded, LEASE, markOf, sendDue, settleOf } from './support.ts';

const { make, open, pool } = places();
const schemas = clockedSchemas();
const byIds = (ids: readonly string[]) => ({ ids, agesMs: ids.map(() => 0), strayAfterMs: 60_000 });
const lease = (requestId: string, owner = 'w1') => ({ ...LEASE, owner, requestId });

/** The first recipient of `expanded` wants no more. */
const optOut = {
  tenant: 'default',
  recipientId: 'someone-0@example.com',
  topic: 'order',
  channel: '*',
  suppressed: true,
  by: 'they',
  why: 'enough',
} as const;

async function claimed(ledger: Ledger, id: string, requestId = 'r1'): Promise<number> {
  const [verdict] = await ledger.claim(byIds([id]), { ...lease(requestId), leaseMs: 120_000 });
  if (verdict?.kind !== 'granted') throw new Error(`not granted: ${verdict?.kind}`);
  return verdict.fence;
}

describe('between the reading and the writing of a call', () => {
  test('a claim that another worker makes is the only one', async () => {
    const place = await make();
    const other = open(place);
    const [id = ''] = await expanded(other, 1);
    const slow = postgresLedger({
      schema: place.schema,
      client: interrupted(pool(place.url), () => claimed(other, id, 'quick')),
    });
    expect(await slow.claim(byIds([id]), lease('slow', 'w2'))).toMatchObject([{ kind: 'held' }]);
  });

  test('an opt-out is seen by the mark that had looked already', async () => {
    const place = await make();
    const other = open(place);
    const [id = ''] = await expanded(other, 1);
    const fence = await claimed(other, id);
    let told: unknown;
    const slow = postgresLedger({
      schema: place.schema,
      client: interrupted(pool(place.url), async () => (told = await other.suppress([optOut]))),
    });
    expect(await slow.mark([markOf(id, fence)])).toMatchObject([{ kind: 'suppressed' }]);
    expect(told).toEqual([{ tooLate: [] }]);
  });

  test('a mark is named by the opt-out that had looked already', async () => {
    const place = await make();
    const other = open(place);
    const [id = ''] = await expanded(other, 1);
    const fence = await claimed(other, id);
    const slow = postgresLedger({
      schema: place.schema,
      client: interrupted(pool(place.url), () => other.mark([markOf(id, fence)])),
    });
    expect(await slow.suppress([optOut])).toEqual([{ tooLate: [id] }]);
  });

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
  test('sixteen with overlapping batches in orders of their own are granted each delivery once, without a deadlock', async () => {
    const place = await make();
    const shared = pool(place.url, { max: 16 });
    const first = postgresLedger({ client: shared, schema: place.schema });
    const ids = await expanded(first, 320);
    const granted: string[] = [];
    await Promise.all(
      Array.from({ length: 16 }, async (_, w) => {
        const ledger = postgresLedger({ client: shared, schema: place.schema });
        const mine = shuffled(ids, w + 1);
        for (let from = 0; from < mine.length; from += 40) {
          const verdicts = await ledger.claim(byIds(mine.slice(from, from + 40)), lease(`${w}-${from}`, `w${w}`));
          for (const verdict of verdicts) if (verdict.kind === 'granted') granted.push(verdict.id);
        }
      }),
    );
    expect(granted.toSorted()).toEqual(ids.toSorted());
    const held = (await first.find(ids)).map((record) => ({ id: record?.id ?? '', fence: record?.fence ?? 0 }));
    const renewing = Array.from({ length: 16 }, (_, w) =>
      postgresLedger({ client: shared, schema: place.schema }).renew(shuffled(held, w + 1), 30_000),
    );
    for (const verdicts of await Promise.all(renewing)) expect(verdicts.every(({ kind }) => kind === 'ok')).toBe(true);
    const { rows } = await shared.query<{ deadlocks: string }>(
      `SELECT sum(deadlocks) AS deadlocks FROM pg_stat_database`,
    );
    expect(Number(rows[0]?.deadlocks)).toBe(0);
  });

  test('sixteen that take what is due send each delivery once, and the notification is done', async () => {
    const place = await make();
    const shared = pool(place.url, { max: 16 });
    const first = postgresLedger({ client: shared, schema: place.schema });
    const ids = await expanded(first, 300);
    const sent: string[] = [];
    await Promise.all(
      Array.from({ length: 16 }, async (_, w) => {
        const ledger = postgresLedger({ client: shared, schema: place.schema });
        for (let round = 0; ; round += 1) {
          const verdicts = await ledger.claim({ due: 10, lateMs: 0 }, lease(`${w}-${round}`, `w${w}`));
          const held = verdicts.flatMap((each) => (each.kind === 'granted' ? [each] : []));
          if (held.length === 0) return;
          const marks = await ledger.mark(held.map(({ id, fence }) => markOf(id, fence)));
          for (const mark of marks) if (mark.kind === 'go') sent.push(mark.id);
          await ledger.settle(held.map(({ id, fence }) => settleOf(id, fence)));
          await turn();
        }
      }),
    );
    expect(sent.toSorted()).toEqual(ids.toSorted());
    const { deliveries, notifications } = await first.count();
    expect([deliveries.sent, notifications.done]).toEqual([300, 1]);
  });

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

/** The same order for the same seed. */
function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const keyed = items.map((item, i) => [((i + 1) * 7_919 * seed) % 1_009, item] as const);
  return keyed.toSorted(([a], [b]) => a - b).map(([, item]) => item);
}
