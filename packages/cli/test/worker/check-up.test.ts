import type { Counts, TelemetryEvent } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { checkUps } from '../../src/worker/check-up.ts';
import { hashed } from '../../src/worker/hashed.ts';
import { Vitals } from '../../src/worker/vitals.ts';

const degraded = (reason: string, worker = 'w:1'): TelemetryEvent => ({
  kind: 'worker.degraded',
  at: 0,
  worker,
  reason,
});
const recovered: TelemetryEvent = { kind: 'worker.recovered', at: 0, worker: 'w:1' };
const noProgress: TelemetryEvent = { kind: 'worker.no-progress', at: 0, worker: 'w:1', waiting: 3, sinceMs: 60_000 };
const sent: TelemetryEvent = {
  kind: 'delivery.moved',
  at: 0,
  id: 'd_1',
  type: 'news',
  class: 'transactional',
  channel: 'email',
  to: 'sent',
  provider: 'first',
  reason: null,
  assumed: false,
};

interface Case {
  readonly name: string;
  readonly events?: readonly TelemetryEvent[];
  /** What the worker itself says. @defaultValue true */
  readonly says?: boolean;
  /** @defaultValue 0 */
  readonly dueMs?: number;
  /** @defaultValue true */
  readonly delivers?: boolean;
  readonly count?: () => Promise<Counts>;
  /** Null: healthy. */
  readonly reason: RegExp | null;
}

const CASES: readonly Case[] = [
  { name: 'nothing is due', reason: null },
  { name: 'much is due, and it makes progress', dueMs: 3_600_000, reason: null },
  {
    name: 'nothing was settled although work is due',
    events: [noProgress],
    says: false,
    dueMs: 90_000,
    reason: /due for 1 min 30 s/,
  },
  {
    name: 'nothing was settled, and others have done the work since',
    events: [noProgress],
    says: false,
    dueMs: 0,
    reason: null,
  },
  { name: 'nothing was settled, then something', events: [noProgress, sent], dueMs: 90_000, reason: null },
  {
    name: 'it does not send, and nobody does',
    events: [noProgress],
    says: false,
    dueMs: 90_000,
    delivers: false,
    reason: null,
  },
  { name: 'the ledger is out of reach', events: [degraded('no route')], says: false, reason: /^no route$/ },
  { name: 'the ledger was out of reach', events: [degraded('no route'), recovered], reason: null },
  { name: 'an alert sink fails', events: [degraded('no route', 'alerts')], reason: null },
  { name: 'a part of it died', says: false, reason: /has ended/ },
  { name: 'the ledger never answers', count: () => new Promise(() => undefined), reason: /no answer within 0.02 s/ },
  {
    name: 'the ledger refuses',
    count: () => Promise.reject(new Error('no such user ann@example.org')),
    reason: /no such user r_/,
  },
];

describe('a check-up when', () => {
  test.each(CASES)('$name', async ({ events = [], says = true, dueMs = 0, delivers = true, count, reason }) => {
    const vitals = new Vitals();
    events.forEach((event) => vitals.note(event));
    const ledger = { count: count ?? (() => Promise.resolve({ oldestDueMs: dueMs } as Counts)) };
    const patient = { worker: { healthy: () => says }, vitals, ledger, delivers, hashed: hashed('k') };
    const { healthy, reasons } = await checkUps({ ...patient, noProgressMs: 60_000, answerMs: 20 })();
    expect({ healthy, reasons }).toEqual(
      reason === null ? { healthy: true, reasons: [] } : { healthy: false, reasons: [expect.stringMatching(reason)] },
    );
  });

  test('somebody asks again at once costs the ledger nothing', async () => {
    let calls = 0;
    const count = (): Promise<Counts> => Promise.resolve({ oldestDueMs: calls++ } as Counts);
    const patient = { worker: { healthy: () => true }, vitals: new Vitals(), ledger: { count }, delivers: true };
    const check = checkUps({ ...patient, hashed: hashed('k'), noProgressMs: 60_000 });
    expect(await check()).toBe(await check());
    expect(calls).toBe(1);
  });
});

describe('a hashed text', () => {
  test('has the same in the place of the same address, however it is written', () => {
    const hash = hashed('key');
    expect(hash('Ann@Example.org, +49 170 1234567')).toBe(hash('ann@example.org, +491701234567'));
    expect(hash('to ann@example.org: no')).toMatch(/^to r_[\w-]{16}: no$/);
    expect(hash('ann@example.org')).not.toBe(hash('bob@example.org'));
    expect(hash('nobody here, at 12:30')).toBe('nobody here, at 12:30');
  });

  test('cannot be compared without the same key', () => {
    expect(hashed('a')('ann@example.org')).toBe(hashed('a')('ann@example.org'));
    for (const other of [hashed('b'), hashed(undefined), hashed('')])
      expect(other('ann@example.org')).not.toBe(hashed('a')('ann@example.org'));
    expect(hashed(undefined)('ann@example.org')).not.toBe(hashed(undefined)('ann@example.org'));
  });
});
