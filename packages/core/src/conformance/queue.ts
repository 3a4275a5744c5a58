import assert from 'node:assert/strict';
import type { Queue, ReceivedWake } from '../ports/queue.ts';
import type { Law, LawSubject } from './contract.ts';

/** A fresh, empty queue whose visibility is short enough to wait for. */
export interface QueueSubject extends LawSubject {
  readonly queue: Queue;
}

/** What every queue promises. Empty receives, repeats and any order are allowed; losing or resurrecting a message is not. */
export const queueLaws: readonly Law<QueueSubject>[] = [
  {
    law: 'hands out every message that was enqueued',
    async check(subject) {
      const ids = names(25);
      await enqueue(subject, ids);
      assert.deepEqual(sorted(await receiveAll(subject, ids)), sorted(ids));
    },
  },
  {
    law: 'hands out a message with a receipt, and counts its first receive as 1',
    async check(subject) {
      await enqueue(subject, ['d_a']);
      const wake = await receiveOne(subject, 'd_a');
      assert.equal(wake.receives, 1);
      assert.notEqual(wake.receipt, '');
      assert.ok(wake.ageMs >= 0, `ageMs is ${wake.ageMs}`);
    },
  },
  {
    law: 'keeps two messages with the same id apart',
    async check(subject) {
      await enqueue(subject, ['d_a', 'd_a']);
      const wakes = await collect(subject, 2);
      assert.equal(new Set(wakes.map(({ receipt }) => receipt)).size, 2);
    },
  },
  {
    law: 'hands out no more than was asked for',
    async check(subject) {
      await enqueue(subject, names(5));
      const wakes = await subject.queue.receive({ max: 2, waitMs: 0 });
      assert.ok(wakes.length <= 2, `asked for 2, got ${wakes.length}`);
    },
  },
  {
    law: 'hides a message from everybody else while it is handed out',
    async check(subject) {
      await enqueue(subject, ['d_a']);
      await receiveOne(subject, 'd_a');
      await assertHidden(subject);
    },
  },
  {
    law: 'hands the messages of one moment to two receivers without an overlap',
    async check(subject) {
      const ids = names(20);
      await enqueue(subject, ids);
      const both = await Promise.all([1, 2].map(() => subject.queue.receive({ max: 10, waitMs: 0 })));
      const got = both.flat().map(({ id }) => id);
      assert.equal(new Set(got).size, got.length);
    },
  },
  {
    law: 'hands out a message again when its visibility ran out without an ack, and counts the receive',
    async check(subject) {
      await enqueue(subject, ['d_a']);
      const first = await receiveOne(subject, 'd_a');
      await subject.elapse(subject.queue.capabilities.visibilityMs + subject.unitMs);
      const second = await receiveOne(subject, 'd_a');
      assert.ok(second.receives >= 2, `receives is ${second.receives}`);
      assert.notEqual(second.receipt, first.receipt);
      assert.ok(second.ageMs >= subject.queue.capabilities.visibilityMs, `ageMs is ${second.ageMs}`);
    },
  },
  {
    law: 'never hands out an acked message again',
    async check(subject) {
      await enqueue(subject, ['d_a']);
      await subject.queue.ack([await receiveOne(subject, 'd_a')]);
      await subject.elapse(subject.queue.capabilities.visibilityMs + subject.unitMs);
      await assertHidden(subject);
    },
  },
  {
    law: 'lets a message be acked twice',
    async check(subject) {
      await enqueue(subject, ['d_a']);
      const wake = await receiveOne(subject, 'd_a');
      await subject.queue.ack([wake]);
      assert.equal((await subject.queue.ack([wake])).length, 1);
      await assertHidden(subject);
    },
  },
  {
    law: 'makes a released message visible again at once',
    async check(subject) {
      await enqueue(subject, ['d_a']);
      const [result] = await subject.queue.release([await receiveOne(subject, 'd_a')], { delayMs: 0 });
      assert.deepEqual(result, { ok: true });
      const again = await receiveOne(subject, 'd_a');
      assert.ok(again.receives >= 2, `receives is ${again.receives}`);
    },
  },
  {
    law: 'keeps a message that was released with a delay hidden for that long, and no longer',
    needs: 'maxDelayMs',
    async check(subject) {
      const delayMs = delay(subject);
      await enqueue(subject, ['d_a']);
      await subject.queue.release([await receiveOne(subject, 'd_a')], { delayMs });
      await subject.elapse(delayMs / 2);
      await assertHidden(subject);
      await subject.elapse(delayMs / 2 + subject.unitMs);
      await receiveOne(subject, 'd_a');
    },
  },
  {
    law: 'keeps a message that was enqueued with a delay hidden for that long, and no longer',
    needs: 'maxDelayMs',
    async check(subject) {
      const delayMs = delay(subject);
      await subject.queue.enqueue([{ id: 'd_a' }], { delayMs });
      await subject.elapse(delayMs / 2);
      await assertHidden(subject);
      await subject.elapse(delayMs / 2 + subject.unitMs);
      await receiveOne(subject, 'd_a');
    },
  },
  {
    law: 'cuts a delay that is too long instead of refusing the message',
    async check(subject) {
      const delayMs = subject.queue.capabilities.maxDelayMs * 2 + subject.unitMs;
      assert.deepEqual(await subject.queue.enqueue([{ id: 'd_a' }], { delayMs }), [{ ok: true }]);
    },
  },
  {
    law: 'keeps an extended message hidden past its visibility',
    async check(subject) {
      const { visibilityMs } = subject.queue.capabilities;
      await enqueue(subject, ['d_a']);
      await subject.queue.extend([await receiveOne(subject, 'd_a')], { leaseMs: visibilityMs * 3 });
      await subject.elapse(visibilityMs * 2);
      await assertHidden(subject);
      await subject.elapse(visibilityMs + subject.unitMs);
      await receiveOne(subject, 'd_a');
    },
  },
  {
    law: 'does not let a stale receipt release or extend what somebody else holds',
    async check(subject) {
      const { visibilityMs } = subject.queue.capabilities;
      await enqueue(subject, ['d_a']);
      const stale = await receiveOne(subject, 'd_a');
      await subject.elapse(visibilityMs + subject.unitMs);
      await receiveOne(subject, 'd_a');
      await subject.queue.release([stale], { delayMs: 0 });
      await assertHidden(subject);
      await subject.queue.extend([stale], { leaseMs: visibilityMs * 3 });
      await subject.elapse(visibilityMs + subject.unitMs);
      await receiveOne(subject, 'd_a');
    },
  },
  {
    law: 'answers one result per item, in order, and lets one bad item spoil no other',
    async check(subject) {
      const ids = names(3);
      await enqueue(subject, ids);
      const wakes = await collect(subject, 3);
      const batch = [wakes[0], { ...wakes[1], receipt: 'no-such-receipt' }, wakes[2]] as ReceivedWake[];
      const results = await subject.queue.ack(batch);
      assert.equal(results.length, 3);
      assert.deepEqual([results[0], results[2]], [{ ok: true }, { ok: true }]);
      await subject.elapse(subject.queue.capabilities.visibilityMs + subject.unitMs);
      await receiveOne(subject, wakes[1]?.id ?? '');
      await assertHidden(subject);
    },
  },
  {
    law: 'takes an empty batch',
    async check({ queue }) {
      assert.deepEqual(await queue.enqueue([]), []);
      assert.deepEqual(await queue.ack([]), []);
      assert.deepEqual(await queue.release([], { delayMs: 0 }), []);
      assert.deepEqual(await queue.extend([], { leaseMs: 1_000 }), []);
    },
  },
  {
    law: 'takes a batch of the size that it declares',
    async check(subject) {
      const ids = names(Math.min(subject.queue.capabilities.maxBatch, 1_000));
      await enqueue(subject, ids);
      const wakes = await collect(subject, ids.length);
      const results = await subject.queue.ack(wakes);
      assert.ok(results.length === ids.length && results.every(({ ok }) => ok));
    },
  },
  {
    law: 'hands a message to a receiver that was already waiting for it',
    async check(subject) {
      const waiting = subject.queue.receive({ max: 1, waitMs: subject.unitMs * 20 });
      await subject.elapse(subject.unitMs);
      await enqueue(subject, ['d_a']);
      await subject.elapse(subject.unitMs * 20);
      const wakes = await waiting;
      if (wakes.length === 0) await receiveOne(subject, 'd_a');
      else assert.equal(wakes[0]?.id, 'd_a');
    },
  },
  {
    law: 'answers nothing when the wait is over',
    async check(subject) {
      const waiting = subject.queue.receive({ max: 1, waitMs: subject.unitMs });
      await subject.elapse(subject.unitMs * 2);
      assert.deepEqual(await waiting, []);
    },
  },
  {
    law: 'stops waiting as soon as the signal aborts',
    async check(subject) {
      const aborter = new AbortController();
      const waiting = subject.queue.receive({ max: 1, waitMs: subject.unitMs * 1_000_000, signal: aborter.signal });
      await subject.elapse(subject.unitMs);
      aborter.abort();
      assert.deepEqual(await waiting, []);
      assert.deepEqual(await subject.queue.receive({ max: 1, waitMs: subject.unitMs, signal: aborter.signal }), []);
    },
  },
  {
    law: 'tells how many messages it holds, at least roughly',
    async check(subject) {
      await enqueue(subject, names(3));
      const depth = await subject.queue.depth();
      assert.ok(Number.isSafeInteger(depth) && depth >= 0, `depth is ${depth}`);
    },
  },
  {
    law: 'lets itself be closed twice',
    async check({ queue }) {
      await queue.close();
      await queue.close();
    },
  },
];

async function enqueue({ queue }: QueueSubject, ids: readonly string[]): Promise<void> {
  const { maxBatch } = queue.capabilities;
  for (let from = 0; from < ids.length; from += maxBatch) {
    const results = await queue.enqueue(ids.slice(from, from + maxBatch).map((id) => ({ id })));
    assert.ok(
      results.every(({ ok }) => ok),
      'the queue refused a message',
    );
  }
}

/** A queue may answer "nothing" although it has messages, so laws ask more than once. */
const TRIES = 20;

async function collect(subject: QueueSubject, count: number): Promise<readonly ReceivedWake[]> {
  const { queue, unitMs } = subject;
  const wakes: ReceivedWake[] = [];
  for (let tries = 0; tries < TRIES && wakes.length < count; tries += 1) {
    const got = await queue.receive({ max: Math.min(count - wakes.length, queue.capabilities.maxBatch), waitMs: 0 });
    wakes.push(...got);
    if (got.length === 0) await subject.elapse(unitMs / 20);
    else tries = 0;
  }
  return wakes;
}

async function receiveAll(subject: QueueSubject, ids: readonly string[]): Promise<readonly string[]> {
  return (await collect(subject, ids.length)).map(({ id }) => id);
}

async function receiveOne(subject: QueueSubject, id: string): Promise<ReceivedWake> {
  const [wake] = await collect(subject, 1);
  assert.equal(wake?.id, id, wake === undefined ? `'${id}' was not handed out` : undefined);
  return wake;
}

async function assertHidden({ queue }: QueueSubject): Promise<void> {
  for (let tries = 0; tries < 3; tries += 1)
    assert.deepEqual(await queue.receive({ max: 10, waitMs: 0 }), [], 'a hidden or acked message was handed out');
}

function delay({ queue, unitMs }: QueueSubject): number {
  return Math.min(unitMs * 4, queue.capabilities.maxDelayMs);
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `d_${i}`);
}

function sorted(ids: readonly string[]): string[] {
  return [...ids].sort();
}
