import { describe, expect, test } from 'vitest';
import { queueLaws, runLaws, type QueueSubject } from '../../src/conformance/index.ts';
import { manualClock, memoryQueue } from '../../src/memory/index.ts';
import type { Queue } from '../../src/ports/queue.ts';

type Break = (queue: Queue) => Partial<Queue>;
const ok = (batch: readonly unknown[]) => batch.map(() => ({ ok: true }) as const);

const BROKEN: readonly (readonly [name: string, broken: Break, namedBy: readonly string[]])[] = [
  [
    'loses what is released',
    (queue) => ({ release: (batch) => queue.ack(batch) }),
    [
      'makes a released message visible again at once',
      'keeps a message that was released with a delay hidden for that long, and no longer',
    ],
  ],
  [
    'forgets acks',
    () => ({ ack: async (batch) => ok(batch) }),
    [
      'never hands out an acked message again',
      'answers one result per item, in order, and lets one bad item spoil no other',
    ],
  ],
  [
    'acks what it hands out',
    (queue) => ({
      receive: async (options) => {
        const wakes = await queue.receive(options);
        await queue.ack(wakes);
        return wakes;
      },
    }),
    ['hands out a message again when its visibility ran out without an ack, and counts the receive', '...'],
  ],
  [
    'hides nothing',
    (queue) => ({
      receive: async (options) => {
        const wakes = await queue.receive(options);
        await queue.release(wakes, { delayMs: 0 });
        return wakes;
      },
    }),
    ['hides a message from everybody else while it is handed out', '...'],
  ],
  [
    'ignores delays',
    (queue) => ({
      enqueue: (wakes) => queue.enqueue(wakes),
      release: (batch) => queue.release(batch, { delayMs: 0 }),
    }),
    [
      'keeps a message that was released with a delay hidden for that long, and no longer',
      'keeps a message that was enqueued with a delay hidden for that long, and no longer',
    ],
  ],
  [
    'extends nothing',
    () => ({ extend: async (batch) => ok(batch) }),
    ['keeps an extended message hidden past its visibility'],
  ],
  [
    'fails a whole batch for one bad item',
    (queue) => ({
      ack: async (batch) => {
        const bad = batch.some(({ receipt }) => receipt === 'no-such-receipt');
        return bad ? batch.map(() => ({ ok: false as const, error: 'the batch failed' })) : queue.ack(batch);
      },
    }),
    ['answers one result per item, in order, and lets one bad item spoil no other'],
  ],
  [
    'gives every receive the same receipt',
    (queue) => {
      const latest = new Map<string, string>();
      const current = <W extends { id: string; receipt: string }>(batch: readonly W[]) =>
        batch.map((wake) => ({ ...wake, receipt: latest.get(wake.receipt) ?? wake.receipt }));
      return {
        receive: async (options) =>
          (await queue.receive(options)).map((wake) => {
            latest.set(`of ${wake.id}`, wake.receipt);
            return { ...wake, receipt: `of ${wake.id}` };
          }),
        ack: (batch) => queue.ack(current(batch)),
        release: (batch, options) => queue.release(current(batch), options),
        extend: (batch, options) => queue.extend(current(batch), options),
      };
    },
    ['does not let a stale receipt release or extend what somebody else holds', '...'],
  ],
  [
    'keeps one message per id',
    (queue) => {
      const seen = new Set<string>();
      return {
        enqueue: async (wakes, options) => {
          await queue.enqueue(
            wakes.filter(({ id }) => !seen.has(id) && seen.add(id)),
            options,
          );
          return ok(wakes);
        },
      };
    },
    ['keeps two messages with the same id apart'],
  ],
  [
    'goes on waiting after the abort',
    (queue) => ({
      receive: ({ max, waitMs }) => (waitMs > 100_000_000 ? new Promise(() => {}) : queue.receive({ max, waitMs })),
    }),
    ['stops waiting as soon as the signal aborts'],
  ],
];

function subject(broken: Break): QueueSubject {
  const clock = manualClock(1_700_000_000_000);
  const good = memoryQueue({ clock, visibilityMs: 10_000 });
  const queue = { ...good, ...broken(good) };
  return {
    queue,
    capabilities: { ...queue.capabilities },
    unitMs: 1_000,
    elapse: (ms) => clock.advance(ms),
    close: () => queue.close(),
  };
}

describe('the laws of the queue', () => {
  test.each(BROKEN)('name a queue that %s', async (_name, broken, namedBy) => {
    // A law that never ends is broken too.
    const laws = queueLaws.map((each) => ({ ...each, check: (of: QueueSubject) => orStuck(each.check(of)) }));
    const results = await runLaws(laws, () => subject(broken));
    const red = results.filter(({ kind }) => kind === 'broken').map(({ law }) => law);
    if (namedBy.includes('...')) expect(red).toEqual(expect.arrayContaining(namedBy.filter((law) => law !== '...')));
    else expect(red).toEqual(namedBy);
  });
});

/** Everything here runs in microtasks: what has not ended after a turn of the event loop never will. */
async function orStuck(check: Promise<void>): Promise<void> {
  const stuck = Symbol('stuck');
  const turn = new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(stuck))));
  if ((await Promise.race([check, turn])) === stuck) throw new Error('the law never ended');
}
