import assert from 'node:assert/strict';
import type { Law } from '../contract.ts';
import { assertHidden, delay, enqueue, receiveOne, type QueueSubject } from './subject.ts';

/** When a message can be seen: visibility, delays, waits. */
export const queueHidingLaws: readonly Law<QueueSubject>[] = [
  {
    law: 'hides a message from everybody else while it is handed out',
    async check(subject) {
      await enqueue(subject, ['d_a']);
      await receiveOne(subject, 'd_a');
      await assertHidden(subject);
    },
  },
  {
    law: 'hands out a message again when its visibility ran out without an ack, and counts the receive',
    async check(subject) {
      await enqueue(subject, ['d_a']);
      const first = await receiveOne(subject, 'd_a');
      await subject.elapse(subject.queue.capabilities.visibilityMs + subject.unitMs);
      const second = await receiveOne(subject, 'd_a');
      assert.ok(
        second.receives >= 2,
        `handed out again, a message must have receives of 2 or more, got ${second.receives}`,
      );
      assert.notEqual(second.receipt, first.receipt, 'handed out again, a message must have a new receipt');
      const { visibilityMs } = subject.queue.capabilities;
      assert.ok(
        second.ageMs >= visibilityMs,
        `ageMs must count from the enqueue: after a visibility of ${visibilityMs} ms, got ${second.ageMs}`,
      );
    },
  },
  {
    law: 'makes a released message visible again at once',
    async check(subject) {
      await enqueue(subject, ['d_a']);
      const [result] = await subject.queue.release([await receiveOne(subject, 'd_a')], { delayMs: 0 });
      assert.deepEqual(result, { ok: true }, 'the release of a message that was just handed out was refused');
      const again = await receiveOne(subject, 'd_a');
      assert.ok(
        again.receives >= 2,
        `handed out again, a message must have receives of 2 or more, got ${again.receives}`,
      );
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
      assert.deepEqual(
        await subject.queue.enqueue([{ id: 'd_a' }], { delayMs }),
        [{ ok: true }],
        `a message with a delay of ${delayMs} ms was refused; its delay must be cut to maxDelayMs`,
      );
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
    law: 'hands a message to a receiver that was already waiting for it',
    async check(subject) {
      const waiting = subject.queue.receive({ max: 1, waitMs: subject.unitMs * 20 });
      await subject.elapse(subject.unitMs);
      await enqueue(subject, ['d_a']);
      await subject.elapse(subject.unitMs * 20);
      const wakes = await waiting;
      if (wakes.length === 0) await receiveOne(subject, 'd_a');
      else assert.equal(wakes[0]?.id, 'd_a', 'the waiting receiver was handed another message');
    },
  },
  {
    law: 'answers nothing when the wait is over',
    async check(subject) {
      const waiting = subject.queue.receive({ max: 1, waitMs: subject.unitMs });
      await subject.elapse(subject.unitMs * 2);
      assert.deepEqual(await waiting, [], 'an empty queue handed something out');
    },
  },
  {
    law: 'stops waiting as soon as the signal aborts',
    async check(subject) {
      const aborter = new AbortController();
      const waiting = subject.queue.receive({ max: 1, waitMs: subject.unitMs * 1_000_000, signal: aborter.signal });
      await subject.elapse(subject.unitMs);
      aborter.abort();
      const message = 'an empty queue handed something out';
      assert.deepEqual(await waiting, [], message);
      const late = await subject.queue.receive({ max: 1, waitMs: subject.unitMs, signal: aborter.signal });
      assert.deepEqual(late, [], message);
    },
  },
];
