import assert from 'node:assert/strict';
import type { ReceivedWake } from '../../ports/queue.ts';
import type { Law } from '../contract.ts';
import { assertHidden, collect, enqueue, names, receiveAll, receiveOne, sorted, type QueueSubject } from './subject.ts';

/** What becomes of a message: handed out, acked, counted. */
export const queueDeliveringLaws: readonly Law<QueueSubject>[] = [
  {
    law: 'hands out every message that was enqueued',
    async check(subject) {
      const ids = names(25);
      await enqueue(subject, ids);
      assert.deepEqual(
        sorted(await receiveAll(subject, ids)),
        sorted(ids),
        'the messages that were handed out are not those that were enqueued',
      );
    },
  },
  {
    law: 'hands out a message with a receipt, and counts its first receive as 1',
    async check(subject) {
      await enqueue(subject, ['d_a']);
      const wake = await receiveOne(subject, 'd_a');
      assert.equal(wake.receives, 1, 'the first time a message is handed out, receives must be 1');
      assert.notEqual(wake.receipt, '', 'a message was handed out without a receipt');
      assert.ok(wake.ageMs >= 0, `ageMs must be 0 or more, got ${wake.ageMs}`);
    },
  },
  {
    law: 'keeps two messages with the same id apart',
    async check(subject) {
      await enqueue(subject, ['d_a', 'd_a']);
      const wakes = await collect(subject, 2);
      assert.equal(
        new Set(wakes.map(({ receipt }) => receipt)).size,
        2,
        'of two messages with the same id, each must be handed out with a receipt of its own',
      );
    },
  },
  {
    law: 'hands out no more than was asked for',
    async check(subject) {
      await enqueue(subject, names(5));
      const wakes = await subject.queue.receive({ max: 2, waitMs: 0 });
      assert.ok(wakes.length <= 2, `a receive that asked for 2 messages at most was given ${wakes.length}`);
    },
  },
  {
    law: 'hands the messages of one moment to two receivers without an overlap',
    async check(subject) {
      const ids = names(20);
      await enqueue(subject, ids);
      const both = await Promise.all([1, 2].map(() => subject.queue.receive({ max: 10, waitMs: 0 })));
      const got = both.flat().map(({ id }) => id);
      assert.equal(new Set(got).size, got.length, 'two receivers were handed the same message');
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
      assert.equal((await subject.queue.ack([wake])).length, 1, 'the second ack of a message must answer one result');
      await assertHidden(subject);
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
      assert.equal(results.length, 3, 'an ack of 3 messages must answer 3 results');
      assert.deepEqual(
        [results[0], results[2]],
        [{ ok: true }, { ok: true }],
        'beside an ack with a receipt that does not exist, the other two must be acked',
      );
      await subject.elapse(subject.queue.capabilities.visibilityMs + subject.unitMs);
      await receiveOne(subject, wakes[1]?.id ?? '');
      await assertHidden(subject);
    },
  },
  {
    law: 'takes an empty batch',
    async check({ queue }) {
      assert.deepEqual(await queue.enqueue([]), [], 'enqueue of no messages must answer no results');
      assert.deepEqual(await queue.ack([]), [], 'ack of no messages must answer no results');
      assert.deepEqual(await queue.release([], { delayMs: 0 }), [], 'release of no messages must answer no results');
      assert.deepEqual(await queue.extend([], { leaseMs: 1_000 }), [], 'extend of no messages must answer no results');
    },
  },
  {
    law: 'takes a batch of the size that it declares',
    async check(subject) {
      const ids = names(Math.min(subject.queue.capabilities.maxBatch, 1_000));
      await enqueue(subject, ids);
      const wakes = await collect(subject, ids.length);
      const results = await subject.queue.ack(wakes);
      const acked = results.filter(({ ok }) => ok).length;
      assert.equal(
        acked,
        ids.length,
        'of a batch of the size that it declares, not each message was handed out and acked',
      );
    },
  },
  {
    law: 'tells how many messages it holds, at least roughly',
    async check(subject) {
      await enqueue(subject, names(3));
      const depth = await subject.queue.depth();
      assert.ok(Number.isSafeInteger(depth) && depth >= 0, `depth must be a whole number, 0 or more, got ${depth}`);
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
