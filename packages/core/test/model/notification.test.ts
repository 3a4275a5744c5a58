import { describe, expect, test } from 'vitest';
import type { NotificationRecord, NotificationState } from '../../src/index.ts';
import { steps } from '../../src/internal.ts';
import { MAX_ROUTING_FAILURES } from '../../src/model/steps/notification.ts';
import { T0 } from '../support/record.ts';

const LEASE_MS = 30_000;

function accepted(patch: Partial<NotificationRecord> = {}): NotificationRecord {
  const identity = {
    id: 'n_1',
    tenant: 'default',
    type: 'order',
    key: 'k',
    class: 'legal',
    fingerprint: 'f',
    data: null,
  } as const;
  const made = steps.newNotification(
    { ...identity, sendAt: null, expiresInMs: null, recipients: 'route', page: null },
    T0,
  );
  return { ...made, ...patch };
}

const claim = (record: NotificationRecord, requestId = 'r1', now = T0) =>
  steps.claimNotification(record, { owner: 'w', requestId, leaseMs: LEASE_MS }, now, 1);

function granted(record: NotificationRecord, requestId = 'r1', now = T0): NotificationRecord {
  const step = claim(record, requestId, now);
  if (step.kind !== 'granted') throw new Error(step.kind);
  return step.record;
}

describe('a new notification', () => {
  test.each([
    { what: 'with a route', page: null, state: 'accepted', sealed: false, targets: 0 },
    { what: 'with its recipients', page: [], state: 'expanding', sealed: true, targets: 0 },
  ])('$what is $state', ({ page, state, sealed, targets }) => {
    const from = { ...accepted(), sendAt: T0 + 5, expiresInMs: 100, page };
    expect(steps.newNotification(from, T0)).toMatchObject({
      state,
      sealed,
      targets,
      dueAt: T0 + 5,
      expiresAt: T0 + 105,
    });
  });
});

describe('a claim of a notification', () => {
  test('is granted once, and again to the same request', () => {
    const held = granted(accepted());
    expect(held).toMatchObject({ fence: 1, owner: 'w', leaseUntil: T0 + LEASE_MS });
    expect(claim(held)).toEqual({ kind: 'repeated', record: held });
    expect(claim(held, 'r2')).toEqual({ kind: 'held', remainingMs: LEASE_MS });
    expect(claim(held, 'r1', T0 + LEASE_MS)).toEqual({ kind: 'held', remainingMs: 0 });
  });

  test('is granted to another once the lease is over, under a higher fence', () => {
    expect(granted(granted(accepted()), 'r2', T0 + LEASE_MS)).toMatchObject({ fence: 2, lapses: 1 });
  });

  test.each<[what: string, patch: Partial<NotificationRecord>, answer: object]>([
    ['not due yet', { dueAt: T0 + 9 }, { kind: 'later', dueInMs: 9 }],
    ['not sealed by its producer yet', { recipients: 'explicit' }, { kind: 'later' }],
    ...(['expanded', 'done', 'cancelled', 'failed'] as const).map(
      (state): [string, { state: NotificationState }, object] => [state, { state }, { kind: 'settled' }],
    ),
  ])('that is %s is not granted', (_what, patch, answer) => {
    expect(claim(accepted(patch))).toMatchObject(answer);
  });

  test(`that ended with its process ${steps.POISON_LAPSES} times in a row ends it`, () => {
    let record = granted(accepted());
    for (let i = 1; i < steps.POISON_LAPSES; i += 1) record = granted(record, `q${i}`, T0 + i * LEASE_MS);
    expect(claim(record, 'last', T0 + 9 * LEASE_MS)).toMatchObject({
      kind: 'ended',
      record: { state: 'failed', reason: /^poison/ as never, leaseUntil: null } as never,
    });
  });
});

describe('a release of a notification', () => {
  const release = (record: NotificationRecord, failure: string | null, fence = record.fence) =>
    steps.releaseNotification(record, { id: record.id, fence, delayMs: 500, failure }, T0);

  test('gives it back for later', () => {
    expect(release(granted(accepted({ lapses: 3 })), null)).toMatchObject({
      verdict: { kind: 'ok' },
      record: { dueAt: T0 + 500, lapses: 0, failures: 0, leaseUntil: null },
    });
  });

  test('keeps why it waits, until the next release says otherwise', () => {
    const record = granted(accepted());
    const request = { id: record.id, fence: record.fence, delayMs: 500, failure: null };
    const reason = "type 'news' has no route in this worker's config";
    expect(steps.releaseNotification(record, { ...request, reason }, T0).record.reason).toBe(reason);
    expect(steps.releaseNotification({ ...record, reason }, request, T0).record.reason).toBeNull();
  });

  test('by somebody who does not hold it is fenced', () => {
    const held = granted(accepted());
    expect(release(held, null, held.fence - 1)).toEqual({ record: held, verdict: { kind: 'fenced' } });
    expect(release(accepted(), null)).toMatchObject({ verdict: { kind: 'fenced' } });
  });

  test('with a failure counts, and at the cap is the end', () => {
    let record = accepted();
    for (let i = 1; i <= MAX_ROUTING_FAILURES; i += 1) {
      const step = release(granted({ ...record, dueAt: T0 }), 'route threw');
      expect(step.verdict.kind).toBe(i < MAX_ROUTING_FAILURES ? 'ok' : 'settled');
      record = step.record;
    }
    expect(record).toMatchObject({ state: 'failed', reason: 'route threw', failures: MAX_ROUTING_FAILURES });
  });
});

describe('the cursor', () => {
  const add = { notificationId: 'n_1', fence: 1, page: 0, deliveries: [], sealTargets: null, leaseMs: LEASE_MS };
  const held = granted(accepted({ sealed: true, pages: 2, targets: 7, state: 'expanding' }));

  test('moves by one page, and the lease is kept while pages are left', () => {
    const after = steps.afterPage(held, add, 4, T0 + 1);
    expect(after).toMatchObject({
      cursor: 1,
      deliveries: 4,
      state: 'expanding',
      leaseUntil: T0 + 1 + LEASE_MS,
      owner: 'w',
    });
    expect(steps.afterPage(after, { ...add, page: 1 }, 3, T0 + 2)).toMatchObject({
      cursor: 2,
      deliveries: 7,
      state: 'expanded',
      leaseUntil: null,
      owner: null,
    });
  });

  test('gives the lease back where that is asked for', () => {
    expect(steps.afterPage(held, { ...add, leaseMs: 0 }, 4, T0)).toMatchObject({
      state: 'expanding',
      leaseUntil: null,
      dueAt: T0,
    });
  });

  test("freezes a route's single page in the same step", () => {
    const routed = granted(accepted());
    expect(steps.afterPage(routed, { ...add, sealTargets: 3 }, 2, T0)).toMatchObject({
      sealed: true,
      pages: 1,
      targets: 3,
      deliveries: 2,
      state: 'expanded',
    });
  });
});
