import { type DeliveryRecord, type Evidence, type Ledger, type Outcome, type SettleRequest } from '@sendonce/core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CLAIM } from '../../src/internal/redis/claim-script.ts';
import { READ } from '../../src/internal/redis/read-script.ts';
import { WRITE } from '../../src/internal/redis/write-script.ts';
import { redisLedger } from '../../src/ledgers/redis.ts';
import { clockedLedgers, type ClockedLedger } from './redis/subject.ts';
import { acceptMany, expanded, LEASE, markOf, settleOf } from './support.ts';

const ledgers = clockedLedgers();
const RUNS = Number(process.env['WALKS'] ?? 5) * 3;
const operator = { by: 'they', why: 'they asked' };
const DELIVERIES = 6;

/** One place, and who works there. `fences`: what was granted last, by delivery. */
interface Side {
  readonly place: ClockedLedger;
  readonly worker: (w: number) => Ledger;
  readonly ids: readonly string[];
  readonly fences: Map<string, number>;
}

/** Workers that remember what they have in hand, or ones that are new at every call and so read everything. */
async function sideOf(remembers: boolean): Promise<Side> {
  const place = await ledgers();
  const open = (): Ledger => redisLedger(place.options);
  const [first, second] = [open(), open()];
  const ids = [...(await expanded(first, DELIVERIES - 1)), ...(await expanded(first, 1, 'k2'))];
  await second.sweep({ max: 1, reconcileLeaseMs: 1_000 });
  const worker = (w: number): Ledger => (!remembers ? open() : w === 0 ? first : second);
  return { place, worker, ids, fences: new Map() };
}

type Step = readonly [name: string, run: (side: Side) => Promise<unknown>];

const workers = fc.integer({ min: 0, max: 1 });
const some = fc.uniqueArray(fc.integer({ min: 0, max: DELIVERIES - 1 }), { minLength: 1 });
const requests = fc.integer({ min: 0, max: 6 }).map((n) => `r${n}`);
const lateMs = fc.constantFrom(0, 0, 0, 1_000);

async function claim(
  side: Pick<Side, 'worker' | 'fences'>,
  w: number,
  selector: Parameters<Ledger['claim']>[0],
  requestId: string,
) {
  const verdicts = await side.worker(w).claim(selector, { ...LEASE, owner: `w${w}`, requestId });
  for (const verdict of verdicts) if (verdict.kind === 'granted') side.fences.set(verdict.id, verdict.fence);
  return verdicts;
}

const idOf = ({ ids }: Side, i: number): string => ids[i] ?? '';
const fenceOf = (side: Side, i: number): number => side.fences.get(idOf(side, i)) ?? 1;

type Ending = Pick<SettleRequest, 'next' | 'outcome' | 'refund'>;
const accepted = (id: string): Outcome => ({ kind: 'accepted', providerMessageId: `m-${id}` });
const ENDINGS: readonly ((id: string) => Ending)[] = [
  (id) => ({ outcome: accepted(id), next: { kind: 'sent' }, refund: false }),
  (id) => ({ outcome: accepted(id), next: { kind: 'sent' }, refund: false }),
  () => ({
    outcome: { kind: 'rejected', scope: 'message', reason: 'no' },
    next: { kind: 'failed', reason: 'no' },
    refund: false,
  }),
  () => ({
    outcome: { kind: 'deferred', reason: 'later "on"\n' },
    next: { kind: 'retry', delayMs: 2_000, provider: 'smtp', reason: 'later "on"\n' },
    refund: true,
  }),
  () => ({
    outcome: { kind: 'unknown', reason: 'no answer' },
    next: { kind: 'unknown', reconcileInMs: 0, reason: 'no answer' },
    refund: false,
  }),
];

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(workers, fc.integer({ min: 1, max: 8 }), lateMs, requests)
    .map(([w, due, late, request]): Step => [
      `w${w} claims ${due} due for ${late} ms as ${request}`,
      (side) => claim(side, w, { due, lateMs: late }, request),
    ]),
  fc.tuple(workers, some, requests).map(([w, which, request]): Step => [
    `w${w} claims ${which.join()} as ${request}`,
    (side) => {
      const ids = which.map((i) => idOf(side, i));
      return claim(side, w, { ids, agesMs: ids.map(() => 0), strayAfterMs: 60_000 }, request);
    },
  ]),
  fc
    .tuple(workers, some)
    .map(([w, which]): Step => [
      `w${w} marks ${which.join()}`,
      (side) => side.worker(w).mark(which.map((i) => markOf(idOf(side, i), fenceOf(side, i)))),
    ]),
  fc
    .tuple(workers, some, fc.nat({ max: ENDINGS.length - 1 }), fc.integer({ min: 1, max: 2 }))
    .map(([w, which, how, attempt]): Step => [
      `w${w} settles attempt ${attempt} of ${which.join()} in way ${how}`,
      (side) => {
        const request = (i: number): SettleRequest => ({
          ...settleOf(idOf(side, i), fenceOf(side, i), attempt),
          ...ENDINGS[how]!(idOf(side, i)),
        });
        return side.worker(w).settle(which.map(request));
      },
    ]),
  fc.tuple(workers, some).map(([w, which]): Step => [
    `w${w} renews ${which.join()}`,
    (side) =>
      side.worker(w).renew(
        which.map((i) => ({ id: idOf(side, i), fence: fenceOf(side, i) })),
        30_000,
      ),
  ]),
  fc
    .tuple(workers, some, fc.constantFrom(null, 'broke'))
    .map(([w, which, failure]): Step => [
      `w${w} releases ${which.join()} ${failure ?? ''}`,
      (side) =>
        side.worker(w).release(which.map((i) => ({ id: idOf(side, i), fence: fenceOf(side, i), delayMs: 0, failure }))),
    ]),
  fc.tuple(fc.nat({ max: 2 }), fc.boolean()).map(([i, suppressed]): Step => [
    `recipient ${i} ${suppressed ? 'opts out' : 'comes back'}`,
    (side) => {
      const who = { tenant: 'default', recipientId: `someone-${i}@example.com`, topic: 'order', channel: '*' } as const;
      return side.worker(1).suppress([{ ...who, suppressed, ...operator }]);
    },
  ]),
  fc
    .boolean()
    .map((blocked): Step => [
      blocked ? 'a pause' : 'no pause',
      (side) => side.worker(1).block([{ scope: 'provider:smtp', blocked, recheckMs: 1_000, ...operator }]),
    ]),
  fc
    .nat({ max: DELIVERIES - 1 })
    .map((i): Step => [`cancel of ${i}`, (side) => side.worker(0).cancel([{ id: idOf(side, i), ...operator }])]),
  fc.tuple(fc.nat({ max: DELIVERIES - 1 }), fc.boolean()).map(([i, isNamed]): Step => [
    `an event about ${isNamed ? '' : 'the message of '}${i}`,
    (side) => {
      const id = idOf(side, i);
      const about = { deliveryId: isNamed ? id : null, provider: 'smtp', providerMessageId: `m-${id}` };
      const event: Evidence = { ...about, kind: 'delivered', at: 1, detail: null };
      return side.worker(1).record([event]);
    },
  ]),
  fc.constant<Step>(['a sweep', (side) => side.worker(1).sweep({ max: 10, reconcileLeaseMs: 1_000 })]),
  // What is in hand is good for half a second.
  fc.constantFrom(1_000, 3_000, 31_000).map((ms): Step => [`${ms} ms pass`, ({ place }) => place.elapse(ms)]),
);

/** Fences by their order within each record: which numbers they are depends on how often Redis was asked. */
function comparable(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(comparable);
  const all = new Set<number>();
  JSON.stringify(answer, (key, value: unknown) => {
    if (key === 'fence' && typeof value === 'number') all.add(value);
    return value;
  });
  const order = [...all].toSorted((a, b) => a - b);
  const text = JSON.stringify(answer, (key, value: unknown) =>
    key === 'fence' ? order.indexOf(value as number) : value,
  );
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

async function stateOf({ worker, ids }: Side): Promise<unknown> {
  const ledger = worker(0);
  const records: readonly (DeliveryRecord | null)[] = await ledger.find(ids);
  const stories = await Promise.all(ids.map((id) => ledger.history(id)));
  const { items } = await ledger.listNotifications({});
  const attention = await ledger.list({ states: ['retry-scheduled', 'unknown', 'failed', 'dead'] });
  const counts = await ledger.count();
  return [...records, ...stories.map((moves) => ({ moves })), ...items, attention.items.map(({ id }) => id), counts];
}

/** A ledger, and the names of the scripts that it sends. */
async function told(): Promise<{ readonly ledger: Ledger; readonly sent: string[] }> {
  const { options } = await ledgers();
  const sent: string[] = [];
  const names = new Map([READ, WRITE, CLAIM].map(({ sha }, i) => [sha, ['read', 'write', 'claim'][i] ?? '']));
  const ledger = redisLedger({
    ...options,
    client: {
      ...options.client,
      evalsha(sha, keys, ...args) {
        const name = names.get(sha);
        if (name !== undefined) sent.push(name);
        return options.client.evalsha(sha, keys, ...args);
      },
    },
  });
  return { ledger, sent };
}

/** What a ledger that has read once sends for each step of a batch, but for its housekeeping. */
async function stepsOf(prepare: (ledger: Ledger) => Promise<unknown>) {
  const { ledger, sent } = await told();
  const ids = await expanded(ledger, 3);
  await prepare(ledger);
  await ledger.sweep({ max: 1, reconcileLeaseMs: 1_000 });
  sent.length = 0;
  const granted = await claim({ worker: () => ledger, fences: new Map() }, 0, { due: 3, lateMs: 0 }, 'r1');
  const fences = granted.flatMap((each) => (each.kind === 'granted' ? [each] : []));
  const marks = await ledger.mark(fences.map(({ id, fence }) => markOf(id, fence)));
  const going = fences.filter(({ id }) => marks.some((mark) => mark.kind === 'go' && mark.id === id));
  await ledger.settle(going.map(({ id, fence }) => settleOf(id, fence)));
  const kinds = ids.map((id) => marks.find((mark) => mark.id === id)?.kind);
  return { sent, kinds };
}

describe('a batch', () => {
  // However long this machine takes for it: what is in hand is not read too long ago.
  beforeEach(() => void vi.spyOn(performance, 'now').mockReturnValue(1_000_000));
  afterEach(() => void vi.restoreAllMocks());

  test('is claimed, marked and settled in one script each', async () => {
    const { sent, kinds } = await stepsOf(() => Promise.resolve());
    expect(kinds).toEqual(['go', 'go', 'go']);
    expect(sent).toEqual(['claim', 'write', 'write']);
  });

  const who = { tenant: 'default', topic: 'order', channel: '*', suppressed: true } as const;
  test('is so too where others have opted out', async () => {
    const { sent, kinds } = await stepsOf((ledger) =>
      ledger.suppress([{ ...who, recipientId: 'somebody@example.com', ...operator }]),
    );
    expect(kinds).toEqual(['go', 'go', 'go']);
    expect(sent).toEqual(['claim', 'write', 'write']);
  });

  test('has to read where one of its own has', async () => {
    const { sent, kinds } = await stepsOf((ledger) =>
      ledger.suppress([{ ...who, recipientId: 'someone-1@example.com', ...operator }]),
    );
    expect(kinds).toEqual(['go', 'suppressed', 'go']);
    expect(sent.slice(0, 3)).toEqual(['claim', 'write', 'read']);
  });
});

describe('what a worker has in hand', () => {
  async function held(): Promise<
    ClockedLedger & { readonly ledger: Ledger; readonly id: string; readonly fence: number }
  > {
    const place = await ledgers();
    const ledger = redisLedger(place.options);
    const [id = ''] = await expanded(ledger, 1);
    const [verdict] = await ledger.claim({ due: 1, lateMs: 0 }, { ...LEASE, requestId: 'r1' });
    if (verdict?.kind !== 'granted') throw new Error('not granted');
    return { ...place, ledger, id, fence: verdict.fence };
  }

  test.for([2_000, -2_000])('is decided on by the time that it is there, %s ms after it was claimed', async (ms) => {
    const { ledger, id, fence, elapse } = await held();
    await elapse(ms);
    expect(await ledger.mark([markOf(id, fence)])).toMatchObject([{ kind: 'go' }]);
    const [record] = await ledger.find([id]);
    expect((record?.attempts[0]?.markedAt ?? 0) - (record?.createdAt ?? 0)).toBe(ms);
  });

  test('has no more time to be sent in than is left there', async () => {
    const { ledger, id, fence, elapse } = await held();
    await elapse(200);
    const [mark] = await ledger.mark([markOf(id, fence)]);
    const [record] = await ledger.find([id]);
    const leftMs = (record?.attempts[0]?.sendDeadline ?? 0) - (record?.createdAt ?? 0) - 200;
    expect(mark).toMatchObject({ kind: 'go', sendWithinMs: leftMs });
  });

  test('is not marked in data of another memory', async () => {
    const { ledger, id, fence, redis, options } = await held();
    await redis.hset(`{${options.name ?? ''}}:store`, 'identity', 'another');
    expect(await ledger.mark([markOf(id, fence)])).toMatchObject([{ kind: 'fenced' }]);
  });

  test('is marked with its message, though a call that reads none was in between', async () => {
    const { ledger, id, fence, elapse } = await held();
    await ledger.mark([markOf(id, fence)]);
    await ledger.settle([{ ...settleOf(id, fence), ...ENDINGS[3]!(id) }]);
    await elapse(3_000);
    const [again] = await ledger.claim({ due: 1, lateMs: 0 }, { ...LEASE, requestId: 'r2' });
    if (again?.kind !== 'granted') throw new Error('not granted');
    await elapse(3_000);
    await ledger.renew(
      [
        { id, fence: again.fence },
        { id: again.record.notificationId, fence: 1 },
      ],
      30_000,
    );
    expect(await ledger.mark([{ ...markOf(id, again.fence), message: { text: 'another' } }])).toMatchObject([
      { kind: 'go', attempt: 2, message: { text: 'hello' } },
    ]);
  });
});

describe('a worker that remembers what it has in hand', () => {
  test(
    'answers and writes, step by step, what one does that reads everything',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 15, maxLength: 40 }), async (walk) => {
          const [quick, whole] = [await sideOf(true), await sideOf(false)];
          for (const [i, [name, run]] of walk.entries()) {
            const answers = [comparable(await run(quick)), comparable(await run(whole))];
            expect(answers[0], `step ${i}: ${name}`).toEqual(answers[1]);
          }
          expect(comparable(await stateOf(quick))).toEqual(comparable(await stateOf(whole)));
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    RUNS * 3_000,
  );
});

describe('a batch of notifications', () => {
  test('is claimed with its first pages by one script that reads and one that writes, however many are due', async () => {
    const { ledger, sent } = await told();
    await acceptMany(ledger, 70);
    sent.length = 0;
    const held = await ledger.claimNotifications({ due: 50, lateMs: 0 }, { ...LEASE, requestId: 'r' });
    expect(held.map((each) => each.kind === 'granted' && each.page?.length)).toEqual(Array(50).fill(2));
    expect(sent).toEqual(['read', 'write']);
  });
});
