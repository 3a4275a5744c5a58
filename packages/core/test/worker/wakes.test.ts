import { describe, expect, test } from 'vitest';
import { Wakes } from '../../src/worker/wakes.ts';
import type { ClaimVerdict, Queue, ReceivedWake } from '../../src/index.ts';

const wake: ReceivedWake = { id: 'd_1', receipt: 'r', receives: 1, ageMs: 0 };

function recorder(maxBatch = 10, maxDelayMs = 900_000): { readonly queue: Queue; readonly calls: unknown[] } {
  const calls: unknown[] = [];
  const queue = {
    capabilities: { maxBatch, maxDelayMs, visibilityMs: 30_000, durable: false },
    ack: async (batch: readonly ReceivedWake[]) => (calls.push(['ack', batch.length]), []),
    release: async (batch: readonly ReceivedWake[], { delayMs }: { delayMs: number }) => (
      calls.push(['release', batch.length, delayMs]),
      []
    ),
  } as unknown as Queue;
  return { queue, calls };
}

type Verdict = Exclude<ClaimVerdict<unknown>, { kind: 'granted' }>;

/** PROTOCOL rule 5, verdict by verdict. */
const RULE_5: readonly { readonly verdict: Verdict; readonly does: readonly unknown[] }[] = [
  { verdict: { kind: 'settled', id: 'd_1', state: 'sent' }, does: ['ack', 1] },
  { verdict: { kind: 'later', id: 'd_1', dueInMs: 60_000 }, does: ['ack', 1] },
  { verdict: { kind: 'unknown', id: 'd_1' }, does: ['ack', 1] },
  { verdict: { kind: 'stray', id: 'd_1' }, does: ['ack', 1] },
  { verdict: { kind: 'held', id: 'd_1', remainingMs: 20_000 }, does: ['release', 1, 20_500] },
  { verdict: { kind: 'absent', id: 'd_1' }, does: ['release', 1, 1_000] },
];

describe('rule 5: a wake', () => {
  test.each(RULE_5)('about something $verdict.kind: $does.0', async ({ verdict, does }) => {
    const { queue, calls } = recorder();
    const wakes = new Wakes(queue);
    wakes.byVerdict(verdict, [wake]);
    await wakes.settled();
    expect(calls).toEqual([does]);
  });

  test('about something held longer than the queue can delay comes back sooner, not never', async () => {
    const { queue, calls } = recorder(10, 5_000);
    const wakes = new Wakes(queue);
    wakes.later([wake], 20_000);
    await wakes.settled();
    expect(calls).toEqual([['release', 1, 5_000]]);
  });

  test('is acked in batches that the queue can carry', async () => {
    const { queue, calls } = recorder(10);
    const wakes = new Wakes(queue);
    wakes.ack(Array.from({ length: 25 }, () => wake));
    await wakes.settled();
    expect(calls).toEqual([
      ['ack', 10],
      ['ack', 10],
      ['ack', 5],
    ]);
  });

  test("whose ack fails is nobody's trouble", async () => {
    const { queue } = recorder();
    const wakes = new Wakes({ ...queue, ack: () => Promise.reject(new Error('down')) });
    wakes.ack([wake]);
    await expect(wakes.settled()).resolves.toBeUndefined();
  });
});
