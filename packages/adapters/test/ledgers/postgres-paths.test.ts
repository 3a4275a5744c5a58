import { notificationId, type Ledger } from '@sendonce/core';
import { ledgerWalks } from '@sendonce/core/conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testLaws } from '../../../core/test/conformance/support/laws.ts';
import { ledgerOn } from '../../src/internal/postgres/ledger.ts';
import { checkedOptions } from '../../src/internal/postgres/options.ts';
import { clockedSchemas, stillMemory, subjectOn, type ClockedSchema } from './postgres/subject.ts';
import { actorOn, TURNS, type Actor, type Turn } from './postgres/steps.ts';
import { acceptMany, expanded, LEASE, markOf, settleOf } from './support.ts';

const RUNS = Number(process.env['RUNS'] ?? 12);
const schemas = clockedSchemas();

interface Counted {
  readonly ledger: Ledger;
  readonly statements: string[];
}

function ledgerIn({ pool, schema }: ClockedSchema, remembers: boolean): Counted {
  const statements: string[] = [];
  const client = {
    query(text: string, values: string[]): Promise<unknown> {
      statements.push(text);
      return pool.query(text, values);
    },
  };
  return { ledger: ledgerOn(checkedOptions({ client, schema }), remembers ? stillMemory() : null), statements };
}

// Each call reads, decides and writes: `postgres.test.ts` has the laws on a clock that memory can follow.
testLaws('the PostgreSQL ledger, without memory', ledgerWalks([101, 102]), () =>
  subjectOn(schemas, (options) => ledgerOn(checkedOptions(options), null)),
);

describe('what is remembered', () => {
  test('saves the reading: three statements for claim, mark and settle of a batch', async () => {
    const place = await schemas();
    const { ledger, statements } = ledgerIn(place, true);
    await expanded(ledger, 40);
    statements.length = 0;
    const held = await ledger.claim({ due: 40, lateMs: 0 }, { owner: 'w', requestId: 'r', leaseMs: 30_000 });
    const fences = held.flatMap((each) => (each.kind === 'granted' ? [each] : []));
    await ledger.mark(fences.map(({ id, fence }) => markOf(id, fence)));
    const settled = await ledger.settle(fences.map(({ id, fence }) => settleOf(id, fence)));
    expect(settled.filter(({ kind }) => kind === 'settled')).toHaveLength(40);
    // Housekeeping came along, once a second.
    expect(statements.filter((text) => /picked|verdict|found/.test(text))).toHaveLength(3);
    await place.giveBack();
  });

  test('is not needed for first pages, which come along with what waits to be expanded: two statements for any number', async () => {
    const place = await schemas();
    const { ledger, statements } = ledgerIn(place, true);
    await acceptMany(ledger, 70);
    statements.length = 0;
    const held = await ledger.claimNotifications({ due: 50, lateMs: 0 }, { ...LEASE, requestId: 'r' });
    expect(held.map((each) => each.kind === 'granted' && each.page?.length)).toEqual(Array(50).fill(2));
    expect(statements).toHaveLength(2);
    await place.giveBack();
  });

  test('is proven by the write: whoever remembers what is not so any more comes to the same as who reads', async () => {
    const [near, far] = await Promise.all([schemas(), schemas()]);
    const verdicts = await Promise.all(
      [near, far].map(async (place, i) => {
        const { ledger } = ledgerIn(place, i === 0);
        const other = ledgerIn(place, false).ledger;
        const [id = ''] = await expanded(ledger, 1);
        const [held] = await ledger.claim({ due: 1, lateMs: 0 }, { owner: 'w', requestId: 'r', leaseMs: 30_000 });
        const fence = held?.kind === 'granted' ? held.fence : 0;
        await other.cancel([{ id: notificationId('default', 'order', 'k1'), by: 'they', why: 'a mistake' }]);
        const mark = await ledger.mark([markOf(id, fence)]);
        return { mark, states: (await ledger.find([id])).map((record) => record?.state) };
      }),
    );
    expect(verdicts[0]).toEqual(verdicts[1]);
    expect(verdicts[0]?.states).toEqual(['cancelled']);
    await Promise.all([near.giveBack(), far.giveBack()]);
  });

  test('says nothing about the time: a lease that ran out since is seen by the store', async () => {
    const place = await schemas();
    const { ledger } = ledgerIn(place, true);
    const [id = ''] = await expanded(ledger, 1);
    const [held] = await ledger.claim({ due: 1, lateMs: 0 }, { owner: 'w', requestId: 'r', leaseMs: 1_000 });
    await place.elapse(2_000);
    const mark = await ledger.mark([markOf(id, held?.kind === 'granted' ? held.fence : 0)]);
    expect(mark).toEqual([{ kind: 'fenced', id }]);
    await place.giveBack();
  });

  test(
    'makes no difference along any random history: verdicts, records, stories and sums are those of reading each time',
    async () => {
      let atOnce = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(TURNS, { minLength: 15, maxLength: 35 }), async (turns) => {
          const places = await Promise.all([schemas(), schemas()]);
          const counted = places.map((place, i) => [ledgerIn(place, i === 0), ledgerIn(place, i === 0)] as const);
          const actors = counted.map(([one, two], i) => actorOn([one.ledger, two.ledger], places[i]!));
          await runAll(actors, turns);
          atOnce += counted[0]![0].statements.filter((text) => text.includes('picked AS')).length;
          await Promise.all(places.map((place) => place.giveBack()));
        }),
        { numRuns: RUNS },
      );
      expect(atOnce).toBeGreaterThan(0);
    },
    RUNS * 5_000,
  );
});

async function runAll(actors: readonly Actor[], turns: readonly Turn[]): Promise<void> {
  for (const actor of actors) await actor.begin();
  for (const turn of turns) {
    const [fast, slow] = await Promise.all(actors.map((actor) => actor.take(turn)));
    expect(fast, JSON.stringify(turn)).toEqual(slow);
  }
  const [fast, slow] = await Promise.all(actors.map((actor) => actor.all()));
  expect(fast).toEqual(slow);
}
