import assert from 'node:assert/strict';
import type { Queue, ReceivedWake } from '../../ports/queue.ts';
import type { LawSubject } from '../contract.ts';

/** A fresh, empty queue whose visibility is short enough to wait for. */
export interface QueueSubject extends LawSubject {
  readonly queue: Queue;
}

export async function enqueue({ queue }: QueueSubject, ids: readonly string[]): Promise<void> {
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

export async function collect(subject: QueueSubject, count: number): Promise<readonly ReceivedWake[]> {
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

export async function receiveAll(subject: QueueSubject, ids: readonly string[]): Promise<readonly string[]> {
  return (await collect(subject, ids.length)).map(({ id }) => id);
}

export async function receiveOne(subject: QueueSubject, id: string): Promise<ReceivedWake> {
  const [wake] = await collect(subject, 1);
  assert.equal(
    wake?.id,
    id,
    `'${id}' should have been handed out, and ${wake === undefined ? 'nothing' : 'another'} was`,
  );
  return wake;
}

export async function assertHidden({ queue }: QueueSubject): Promise<void> {
  for (let tries = 0; tries < 3; tries += 1)
    assert.deepEqual(await queue.receive({ max: 10, waitMs: 0 }), [], 'a hidden or acked message was handed out');
}

export function delay({ queue, unitMs }: QueueSubject): number {
  return Math.min(unitMs * 4, queue.capabilities.maxDelayMs);
}

export function names(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `d_${i}`);
}

export function sorted(ids: readonly string[]): string[] {
  return [...ids].sort();
}
