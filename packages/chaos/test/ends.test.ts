import { describe, expect, test } from 'vitest';
import { EndsOfSchedules } from '../src/ends.ts';
import { simulate } from '../src/simulate.ts';
import type { RunResult } from '../src/result.ts';
import { kill, lostReply, runResult, setup, tally } from './report/fixtures.ts';

const small = { ...setup, recipients: 200 };
const peopleIn = ({ notSent }: RunResult) =>
  notSent.map(({ recipient }) => ({ to: `a${recipient.slice(1)}@x.example`, id: null }));
const ends = (results: readonly RunResult[], expected: number | null = null) => {
  const all = new EndsOfSchedules();
  for (const result of results) all.saw({ result, people: peopleIn(result) }, expected);
  return all.summary();
};
const lost = (state: string, reason: string, recipients: number) =>
  Array.from({ length: recipients }, (_, n) => ({ recipient: `r${n}`, state, reason }));

describe('the ends of a search', () => {
  test('name everybody who got nothing, and whoever is in no sum is counted', async () => {
    const search = { setup: small, faults: [], profile: ['all'] };
    const report = await simulate({ ...search, seed: 'q', schedules: 20 });
    const { parked, failed, dead } = report.totals.tally;
    const { reasons = [], lines = [], leftOut, outside } = report.ends ?? {};
    expect(parked).toBeGreaterThan(0);
    expect(reasons.reduce((sum, { count }) => sum + count, 0)).toBe(parked + failed + dead);
    expect(leftOut).toBe(0);
    expect(lines.filter(({ kind }) => kind !== 'unsealed')).toHaveLength(parked + failed + dead);
    expect(outside?.recipients).toBe(20 * 200 - report.totals.requested);
    expect(outside).toMatchObject({ recipients: 200, schedules: 1, producerGone: 1 });

    const [first] = lines;
    const alone = await simulate({ ...search, seed: first?.seed ?? '', schedules: 1 });
    expect(alone.ends).toBeUndefined();
    expect(alone.result.notSent.map(({ recipient }) => recipient)).toEqual(
      lines.filter(({ seed }) => seed === first?.seed).map((line) => 'recipient' in line && line.recipient),
    );
  });

  test('say for each reason in how many schedules it was, and what fired there', () => {
    const one = runResult({ faults: [kill, lostReply], fired: [true, false], notSent: lost('parked', 'no answer', 2) });
    const two = runResult({ faults: [kill, lostReply], fired: [true, true], notSent: lost('parked', 'no answer', 1) });
    const three = runResult({ fired: [false], notSent: lost('failed', 'no such mailbox', 1) });
    expect(ends([one, two, three]).reasons).toEqual([
      {
        state: 'parked',
        reason: 'no answer',
        count: 3,
        schedules: 2,
        faults: [
          { kind: 'kill', schedules: 2 },
          { kind: 'reply-lost', schedules: 1 },
        ],
      },
      { state: 'failed', reason: 'no such mailbox', count: 1, schedules: 1, faults: [] },
    ]);
  });

  test('blame no fault for what the config itself made fail', () => {
    const notSent = lost('failed', 'content threw', 2).map((each) => ({ ...each, own: true as const }));
    const result = runResult({ faults: [kill], fired: [true], notSent });
    expect(ends([result, result]).reasons).toEqual([
      { state: 'failed', reason: 'content threw', count: 4, schedules: 2, faults: [], own: true },
    ]);
  });

  test('keep 10,000 lines, and count the rest and those beyond the list of a schedule', () => {
    const result = runResult({ tally: tally({ once: 800, dead: 1_200 }), notSent: lost('dead', 'spent', 1_000) });
    const { lines, leftOut, reasons } = ends(Array.from({ length: 11 }, () => result));
    expect(lines).toHaveLength(10_000);
    expect(leftOut).toBe(11 * 1_200 - 10_000);
    expect(reasons.reduce((sum, { count }) => sum + count, 0)).toBe(11 * 1_200);
  });

  const amnesia = { ...lostReply, do: 'amnesia', op: 'ledger.add' };
  const unsealed = [{ notificationId: 'n', targets: 7 }];
  test.each([
    ['its producer stopped', runResult({ requested: 0, unsealed }), 2_000, [2_000, 1, 1, 0]],
    ['its producer stopped before it began', runResult({ requested: 0 }), 2_000, [2_000, 1, 1, 0]],
    ['the store forgot it', runResult({ requested: 0, faults: [amnesia], fired: [true] }), 2_000, [2_000, 1, 0, 1]],
    ['nobody knows whom a config would have reached', runResult({ unsealed }), null, [0, 1, 1, 0]],
    ['nothing: all were asked for', runResult(), 2_000, [0, 0, 0, 0]],
  ])(
    'tell why a schedule is in no sum: %s',
    (_words, result, expected, [recipients, schedules, producerGone, forgotten]) => {
      expect(ends([result], expected).outside).toEqual({ recipients, schedules, producerGone, forgotten });
    },
  );
});
