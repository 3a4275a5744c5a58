import { describe, expect, test } from 'vitest';
import type { Attempt, DeliveryRecord, ReleaseRequest } from '../../src/index.ts';
import { steps } from '../../src/internal.ts';
import { attempt, delivery, T0 } from '../support/record.ts';
import { LEASE_MS, unknown } from '../support/story.ts';

describe('a release for later', () => {
  const held = (expiresAt: number | null, attempts: readonly Attempt[] = []): DeliveryRecord => ({
    ...delivery({ expiresAt, attempts, reason: 'before' }),
    state: 'processing',
    fence: 3,
    leaseUntil: T0 + LEASE_MS,
  });
  const release = (record: DeliveryRecord, request: Partial<ReleaseRequest> = {}) =>
    steps.release(record, { id: record.id, fence: 3, delayMs: 30_000, failure: null, ...request }, T0);
  const open = attempt({ outcome: unknown });

  test.each([
    ['never expires', held(null), { state: 'queued', dueAt: T0 + 30_000 }],
    ['expires later', held(T0 + 60_000), { state: 'queued', dueAt: T0 + 30_000 }],
    ['expires before it would be due', held(T0 + 10_000), { state: 'queued', dueAt: T0 + 10_000 }],
    ['has expired', held(T0), { state: 'expired', settledAt: T0 }],
    ['has expired over an open attempt', held(T0, [open]), { state: 'unknown', forbidden: 'expired' }],
  ])('of what %s', (_what, record, after) => {
    expect(release(record).record).toMatchObject(after);
  });

  test('gives what has expired back as it is when the worker stops', () => {
    expect(release(held(T0), { delayMs: 0 })).toMatchObject({ record: { state: 'queued', dueAt: T0 } });
  });

  test('keeps why it waits, and the reason of a failure before that', () => {
    const reason = "type 'news' is not in this worker's config";
    expect(release(held(T0), { reason })).toMatchObject({
      record: { reason },
      verdict: { kind: 'settled', state: 'expired' },
    });
    expect(release(held(null), { reason, failure: 'content threw' }).record.reason).toBe('content threw');
    expect(release(held(null)).record.reason).toBe('before');
  });

  test('at the cap of failures fails, though it has expired as well', () => {
    const record = { ...held(T0), failures: 4 };
    expect(release(record, { failure: 'content threw' }).record).toMatchObject({ state: 'failed', failures: 5 });
  });
});
