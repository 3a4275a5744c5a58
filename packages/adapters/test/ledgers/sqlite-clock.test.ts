import type { Ledger } from '@sendonce/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/internal/sqlite/open-database.ts';
import { MOST_AHEAD_MS, timeAt, type Tick } from '../../src/internal/sqlite/store-clock.ts';
import { sqliteLedger } from '../../src/ledgers/sqlite.ts';
import { expanded, LEASE, markOf, newNotification, sendDue, settleOf, targetOf, temporaryFile } from './support.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const YEAR_MS = 365 * 24 * HOUR_MS;

interface Host {
  readonly ledger: Ledger;
  /** Another process on the same file. */
  readonly other: () => Ledger;
  /** Sets its clock: back, or forward. */
  readonly set: (ms: number) => void;
  readonly elapse: (ms: number) => void;
}

function host(): Host {
  const file = temporaryFile();
  let now = 1_700_000_000_000;
  const open = (): Ledger => sqliteLedger({ database: openDatabase(file), now: () => now, synchronous: 'normal' });
  const move = (ms: number): void => void (now += ms);
  return { ledger: open(), other: open, set: move, elapse: move };
}

describe('a host whose clock is set back by an hour', () => {
  test('sends at once what was due, in every process on the file', async () => {
    const { ledger, other, set } = host();
    const ids = await expanded(ledger, 3);
    set(-HOUR_MS);
    expect((await other().count()).oldestDueMs).toBe(0);
    expect(await sendDue(other())).toEqual(ids);
  });

  test('tries again what waits for a retry, after at most twice its time', async () => {
    const { ledger, set, elapse } = host();
    const [id = ''] = await expanded(ledger, 1);
    const [granted] = await ledger.claim({ due: 1, lateMs: 0 }, { ...LEASE, requestId: 'r' });
    if (granted?.kind !== 'granted') throw new Error('not granted');
    await ledger.mark([markOf(id, granted.fence)]);
    const outcome = { kind: 'not-sent', reason: 'down' } as const;
    const next = { kind: 'retry', delayMs: MINUTE_MS, provider: 'smtp', reason: 'down' } as const;
    await ledger.settle([{ ...settleOf(id, granted.fence), outcome, next }]);
    set(-HOUR_MS);
    expect(await sendDue(ledger, 10, 'early')).toEqual([]);
    elapse(2 * MINUTE_MS + 2_000);
    expect(await sendDue(ledger, 10, 'late')).toEqual([id]);
  });

  test('takes over what a dead worker holds, after at most twice its lease', async () => {
    const { ledger, other, set, elapse } = host();
    const ids = await expanded(ledger, 1);
    await ledger.claim({ due: 1, lateMs: 0 }, { ...LEASE, requestId: 'dies' });
    set(-HOUR_MS);
    expect(await sendDue(other(), 10, 'early')).toEqual([]);
    elapse(2 * LEASE.leaseMs + 2_000);
    expect(await sendDue(other(), 10, 'late')).toEqual(ids);
  });

  test('does not hold up what is accepted then, and has what is scheduled agree with its clock again in two hours', async () => {
    const { ledger, set, elapse } = host();
    await expanded(ledger, 1, 'before');
    await sendDue(ledger, 10, 'before');
    set(-HOUR_MS);
    expect(await expanded(ledger, 1, 'then')).toHaveLength(1);
    expect(await sendDue(ledger, 10, 'then')).toHaveLength(1);
    elapse(2 * HOUR_MS + 2_000);
    const [verdict] = await ledger.accept([newNotification('n_1', 'later', [targetOf(1)])]);
    expect(verdict?.kind === 'conflict' ? null : verdict?.record.acceptedAt).toBe(1_700_000_000_000 + HOUR_MS + 2_000);
  });

  test('is right at once when it is set right', async () => {
    const { ledger, set } = host();
    await expanded(ledger, 1, 'before');
    set(-HOUR_MS);
    await expanded(ledger, 1, 'then');
    set(HOUR_MS + 5_000);
    const [verdict] = await ledger.accept([newNotification('n_1', 'later', [targetOf(1)])]);
    expect(verdict?.kind === 'conflict' ? null : verdict?.record.acceptedAt).toBe(1_700_000_000_000 + 5_000);
  });
});

test('a date that was wrong by a year for a moment does not lead the ledger afterwards', async () => {
  const { ledger, set } = host();
  set(YEAR_MS);
  await expanded(ledger, 1, 'wrong');
  set(-YEAR_MS);
  const ids = await expanded(ledger, 1, 'right');
  expect(await sendDue(ledger, 10, 'right')).toEqual(ids);
  const [verdict] = await ledger.accept([newNotification('n_1', 'k', [targetOf(1)])]);
  expect(verdict?.kind === 'conflict' ? null : verdict?.record.acceptedAt).toBe(1_700_000_000_000);
});

describe("the ledger's time", () => {
  const step = fc.record({
    passes: fc.integer({ min: 0, max: 10 * MINUTE_MS }),
    isSet: fc.option(fc.integer({ min: -3 * HOUR_MS, max: 3 * HOUR_MS }), { nil: 0 }),
  });

  test('never goes back by steps up to its bound, is never further ahead than that, and comes back to the clock of the host', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let last: Tick = { wall: 10 * YEAR_MS, time: 10 * YEAR_MS };
        for (const { passes, isSet } of steps) {
          const wall = last.wall + passes + isSet;
          const time = timeAt(wall, last);
          expect(time).toBeGreaterThanOrEqual(wall);
          expect(time - wall).toBeLessThanOrEqual(MOST_AHEAD_MS);
          if (last.time - wall <= MOST_AHEAD_MS) expect(time).toBeGreaterThanOrEqual(last.time);
          // Without a step it runs no faster than the clock.
          if (isSet === 0) expect(time - last.time).toBeLessThanOrEqual(passes);
          last = { wall, time };
        }
        const wall = last.wall + 2 * (last.time - last.wall);
        expect(timeAt(wall, last)).toBe(wall);
      }),
    );
  });
});
