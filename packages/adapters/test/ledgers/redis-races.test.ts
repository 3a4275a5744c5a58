import type { Ledger } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { redisLedger, type RedisClientLike } from '../../src/ledgers/redis.ts';
import { interrupted, places } from './redis/places.ts';
import { clockedLedgers } from './redis/subject.ts';
import { testForgetting } from './forgetting.ts';
import { byIds, claimed, lease, testLookedAlready, testSixteen, type RacePlace } from './races.ts';
import { expanded, markOf, newNotification, settleOf, targetOf } from './support.ts';

const { make, open, client } = places();
const ledgers = clockedLedgers();
const pause = { scope: 'all', blocked: true, recheckMs: 1_000, by: 'we', why: 'trouble' } as const;

async function race(): Promise<RacePlace> {
  const place = await make();
  return {
    open: () => open(place),
    interrupted: (between) => redisLedger({ name: place.name, client: interrupted(client(place.port), between) }),
  };
}

describe('between the reading and the writing of a call', () => {
  testLookedAlready(race);
  testForgetting(race);

  test('a pause holds back the mark that had looked already', async () => {
    const place = await make();
    const other = open(place);
    const [id = ''] = await expanded(other, 1);
    const fence = await claimed(other, id);
    const slow = redisLedger({
      name: place.name,
      client: interrupted(client(place.port), () => other.block([pause])),
    });
    expect(await slow.mark([markOf(id, fence)])).toMatchObject([{ kind: 'blocked', scope: 'all' }]);
  });

  test('a pause of the worker counts: it decides again by the time that it is then', async () => {
    const { options, elapse } = await ledgers();
    const ledger = redisLedger(options);
    const [id = ''] = await expanded(ledger, 1);
    const fence = await claimed(ledger, id);
    const sleepy = redisLedger({ ...options, client: interrupted(options.client, () => elapse(40_000)) });
    const mark = { ...markOf(id, fence), dispatchMs: 60_000, sendMarginMs: 1_000 };
    expect(await sleepy.mark([mark])).toMatchObject([{ kind: 'go', sendWithinMs: 59_000 }]);
    const [record] = await ledger.find([id]);
    expect(record?.attempts.map(({ markedAt }) => markedAt - record.createdAt)).toEqual([40_000]);
  });

  const event = (id: string) =>
    ({
      deliveryId: null,
      provider: 'smtp',
      providerMessageId: `m-${id}`,
      kind: 'delivered',
      at: 1,
      detail: null,
    }) as const;

  /** A delivery that is being sent, and what its ledger does while `between` happens. */
  async function sending(between: (other: Ledger, id: string, fence: number) => unknown) {
    const place = await race();
    const other = place.open();
    const [id = ''] = await expanded(other, 1);
    const fence = await claimed(other, id);
    await other.mark([markOf(id, fence)]);
    return { id, fence, slow: place.interrupted(() => between(other, id, fence)) };
  }

  test('an event is not missed by the settle that makes its message known', async () => {
    const { id, fence, slow } = await sending((other, of) => other.record([event(of)]));
    expect(await slow.settle([settleOf(id, fence)])).toMatchObject([{ state: 'delivered' }]);
  });

  test('a settle is not missed by the event about the message that it makes known', async () => {
    const { id, slow } = await sending((other, of, fence) => other.settle([settleOf(of, fence)]));
    expect(await slow.record([event(id)])).toMatchObject([{ kind: 'moved', state: 'delivered' }]);
  });
});

describe('many workers at once', () => {
  testSixteen(race);

  test('two that publish the same key at once make one notification', async () => {
    const place = await make();
    const same = newNotification('n_same', 'same', [targetOf(1)]);
    const made = await Promise.all(Array.from({ length: 6 }, () => open(place).accept([same])));
    expect(made.flat().filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
    expect(made.flat().filter(({ kind }) => kind === 'repeated')).toHaveLength(5);
  });
});

describe('a cancel of a notification that sixteen workers are sending', () => {
  test('gets its turn, written in several parts, and after it nothing is marked', async () => {
    const place = await make();
    // A busy machine is not what this is about.
    const patient = () => open(place, { lockTimeoutMs: 60_000 });
    const first = patient();
    const ids = await expanded(first, 3_000);
    let isCancelled = false;
    let markedAfter = 0;
    const workers = Array.from({ length: 16 }, async (_, w) => {
      const ledger = patient();
      for (let round = 0; ; round += 1) {
        const held = await ledger.claim({ due: 5, lateMs: 0 }, lease(`${w}-${round}`, `w${w}`));
        const fences = held.flatMap((each) => (each.kind === 'granted' ? [each] : []));
        if (fences.length === 0) return;
        const wasCancelled = isCancelled;
        const marks = await ledger.mark(fences.map(({ id, fence }) => markOf(id, fence)));
        if (wasCancelled) markedAfter += marks.filter((mark) => mark.kind === 'go').length;
        await ledger.settle(fences.map(({ id, fence }) => settleOf(id, fence)));
      }
    });
    const [id = ''] = (await first.find(ids.slice(0, 1))).map((record) => record?.notificationId);
    const [verdict] = await patient().cancel([{ id, by: 'they', why: 'a mistake' }]);
    isCancelled = true;
    expect(verdict?.kind).toBe('cancelled');
    await Promise.all(workers);
    expect(markedAfter).toBe(0);
    const { deliveries } = await first.count();
    expect(deliveries.cancelled).toBeGreaterThan(0);
    expect(deliveries.cancelled + deliveries.sent).toBe(3_000);
    const [notification] = await first.listNotifications({}).then(({ items }) => items);
    expect(notification?.state).toBe('cancelled');
    expect(await client(place.port).hget(`{${place.name}}:n:${id}`, 'o')).toBe('0');
  });
});

describe('a call over much', () => {
  const LONG = 'x'.repeat(100_000);

  test('is written in parts, and begins again where one is refused', async () => {
    const place = await make();
    const first = open(place);
    const ids = await expanded(first, 60);
    const granted = await first.claim(byIds(ids), lease('r1'));
    const marks = granted.flatMap((each) => (each.kind === 'granted' ? [markOf(each.id, each.fence)] : []));
    const last = ids[59] ?? '';
    const sizes: number[] = [];
    const inner = client(place.port);
    const slow = redisLedger({
      name: place.name,
      client: interrupted(
        { ...measured(inner, sizes), pipeline: (commands) => inner.pipeline(commands) },
        () => undefined,
        // One part is written already.
        () => first.cancel([{ id: last, by: 'they', why: 'no' }]),
      ),
    });
    const verdicts = await slow.mark(marks.map((mark) => ({ ...mark, message: { text: LONG } })));
    expect(verdicts.map((each) => (each.kind === 'go' ? each.attempt : each.kind))).toEqual([
      ...Array.from({ length: 59 }, () => 1),
      'settled',
    ]);
    expect(Math.max(...sizes)).toBeLessThan(4_500_000);
    const records = await first.find(ids);
    expect(records.map((record) => record?.attempts.length)).toEqual([...Array.from({ length: 59 }, () => 1), 0]);
    const [record] = records;
    expect(await inner.hget(`{${place.name}}:n:${record?.notificationId ?? ''}`, 'o')).toBe('59');
  });

  test('is listed whole, in pages of any size', async () => {
    const place = await make();
    const ledger = open(place);
    const ids = [
      ...(await expanded(ledger, 1_201)),
      ...(await expanded(ledger, 1, 'k2')),
      ...(await expanded(ledger, 3, 'k3')),
    ];
    await ledger.cancel(ids.slice(0, 2).map((id) => ({ id, by: 'they', why: 'no' })));
    const [record] = await ledger.find(ids.slice(0, 1));
    const filters: readonly (readonly [Parameters<Ledger['list']>[0], number])[] = [
      [{}, 1_205],
      [{ states: ['queued'] }, 1_203],
      [{ states: ['cancelled'], type: 'order' }, 2],
      [{ notificationId: record?.notificationId ?? '' }, 1_201],
    ];
    for (const [filter, count] of filters)
      for (const limit of [7, 500, 5_000]) {
        const listed: string[] = [];
        let cursor: string | null = null;
        do {
          const page: Awaited<ReturnType<Ledger['list']>> = await ledger.list(filter, { limit, cursor });
          expect(page.items.length).toBeLessThanOrEqual(limit);
          listed.push(...page.items.map(({ id }) => id));
          ({ cursor } = page);
        } while (cursor !== null);
        expect(listed).toHaveLength(count);
        expect(new Set(listed).size).toBe(count);
      }
  });
});

/** Notes how many characters each script gets. */
function measured(redis: RedisClientLike, sizes: number[]): Pick<RedisClientLike, 'eval' | 'evalsha'> {
  const note = (args: readonly (string | number | Buffer)[]): void => {
    sizes.push(args.reduce<number>((sum, each) => sum + String(each).length, 0));
  };
  return {
    eval(text, keys, ...args) {
      note(args);
      return redis.eval(text, keys, ...args);
    },
    evalsha(sha, keys, ...args) {
      note(args);
      return redis.evalsha(sha, keys, ...args);
    },
  };
}
