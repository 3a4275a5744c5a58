import { describe, expect, test } from 'vitest';
import type { Paint } from '../../src/report/paint.ts';
import { simulateText } from '../../src/report/text.ts';
import type { ReportContext } from '../../src/report/context.ts';
import type { SimulateReport } from '../../src/report/types.ts';
import type { RunResult, Tally, Violation } from '../../src/result.ts';
import { context, failing, kill, lostReply, nothing, passing, runResult, setup, tally, violation } from './fixtures.ts';

const notSent = Array.from({ length: 25 }, (_, i) => ({
  recipient: `r${i}`,
  state: i % 2 === 0 ? 'parked' : 'failed',
  reason: i % 2 === 0 ? 'no answer, and the provider cannot be asked' : 'mailbox does not exist',
}));

const REPORTS: readonly (readonly [name: string, report: SimulateReport, context: ReportContext])[] = [
  ['pass', passing(), context()],
  [
    'pass-with-losses',
    passing({
      result: runResult({
        setup: { ...setup, provider: 'plain' },
        tally: tally({ once: 1950, parked: 37, failed: 13 }),
        notSent,
        unsealed: [{ notificationId: 'n_unsealed', targets: 1200 }],
      }),
      addressOf: { r0: 'ann@example.com' },
    }),
    context({
      input: {
        source: 'people.csv',
        rows: 2030,
        merged: 8,
        invalid: Array.from({ length: 22 }, (_, i) => ({ line: i + 2, reason: 'the address is empty' })),
      },
      directory: 'out',
    }),
  ],
  [
    'violation',
    failing(),
    context({ planFile: '/tmp/S1.plan.json', replay: 'notify simulate --replay /tmp/S1.plan.json' }),
  ],
  [
    'inconclusive',
    passing({
      verdict: 'inconclusive',
      doubts: ['2 kinds of the profile never fired: outage, brown-out'],
      result: runResult({ faults: [kill, lostReply], fired: [true, false] }),
    }),
    context(),
  ],
  [
    'nondeterminism',
    passing({ verdict: 'nondeterminism', nondeterminism: { seed: 'apple-3', first: '8c1f', second: '77ab' } }),
    context(),
  ],
  ['interrupted', passing({ verdict: 'interrupted', interrupted: true }), context()],
  ['interrupted-at-once', nothing(), context({ input: { source: null, rows: 0, merged: 0, invalid: [] } })],
  [
    'own-providers',
    passing(),
    context({ regressions: 3, providers: 'yours, simulated by what they can do; email: ses (no key, no lookup)' }),
  ],
];

describe('the text of a report', () => {
  test.each(REPORTS)('of a run that ends in %s reads like its page', async (name, report, given) => {
    await expect(simulateText(report, given)).toMatchFileSnapshot(`./pages/${name}.txt`);
  });

  test('takes about a dozen lines when all is well, none of them too wide to read', () => {
    const lines = simulateText(passing(), context()).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(13);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(130);
  });

  test('has no escape codes unless it is given some', () => {
    for (const [, report, given] of REPORTS) expect(simulateText(report, given)).not.toContain('\u001b');
    const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
    const paint: Paint = { red, green: red, yellow: red, bold: red, dim: red };
    const coloured = simulateText(failing(), context({ paint }));
    expect(coloured).toContain('\u001b[31m');
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(simulateText(failing(), context()));
  });

  const lost: Violation = { ...violation, invariant: 'END', recipient: 'r3', message: '1 recipient ended as lost.' };
  const stuck: Violation = { ...violation, invariant: 'L2', kind: 'liveness', message: 'd_0 was still open.' };
  const ends: readonly [what: string, counts: Partial<Tally>, violations: readonly Violation[], first: string][] = [
    ['lost', { lost: 1 }, [stuck, violation, lost], 'END'],
    ['written to twice', { duplicated: 1, lost: 1 }, [stuck, lost, violation], 'S1'],
    ['written to twice, as the count tells', { duplicated: 1 }, [stuck, lost], 'END'],
    ['neither', {}, [stuck, lost], 'L2'],
    ['lost, with no violation that says so', { lost: 3 }, [stuck], '3 lost of 2,000 recipients; L2'],
  ];
  test.each(ends)('leads with what happened to people: %s', (_what, counts, violations, first) => {
    const result = runResult({ tally: tally(counts), violations });
    const text = simulateText(failing({ result, minimal: null }), context());
    expect(text).toMatch(new RegExp(`^VIOLATION {2}${first}: `));
    for (const { invariant } of violations)
      expect(text.includes(`also ${invariant}, `)).toBe(!first.endsWith(invariant));
  });

  test('leads with what happened to people where only the larger run shows it', () => {
    const result = runResult({ tally: tally({ lost: 1 }), violations: [stuck, lost] });
    const base = failing({ result });
    const minimal = base.minimal && { ...base.minimal, result: runResult({ violations: [stuck] }) };
    const text = simulateText({ ...base, minimal }, context());
    expect(text).toMatch(/^VIOLATION {2}END: [^]*also L2, /);
  });

  test('never says that nobody got none where nobody was written to', () => {
    const unsealed = [{ notificationId: 'n_0', targets: 30_000 }];
    const nobody = { requested: 0, tally: tally({}) };
    const input = { source: null, rows: 0, merged: 0, invalid: [] };
    const of = (result: RunResult): string =>
      simulateText(passing({ result }), context({ input })).split('\n')[0] ?? '';
    expect(of(runResult({ ...nobody, unsealed }))).toBe(
      'PASS  nobody was written to: 1 notification was never finished by its producer (30,000 recipients stored)',
    );
    expect(of(runResult(nobody))).toBe('PASS  nobody was written to: nobody was asked for');
  });

  test('adds the rows up without those that a producer left unfinished', () => {
    const input = { source: 'x.csv', rows: 2010, merged: 4, invalid: [{ line: 3, reason: 'no address' }] };
    expect(simulateText(passing(), context({ input }))).toContain(
      'input      2,005 = 2,000 requested + 4 merged + 1 invalid (x.csv has 2,010 rows)',
    );
  });

  const unsent = {
    reasons: [
      {
        state: 'parked',
        reason: 'no answer',
        count: 110,
        schedules: 2,
        faults: ['amnesia', 'pause', 'kill', 'outage'].map((kind) => ({ kind, schedules: 2 })),
      },
      { state: 'dead', reason: 'spent', count: 2, schedules: 1, faults: [{ kind: 'outage', schedules: 1 }] },
    ],
    outside: { recipients: 4000, schedules: 2, producerGone: 1, forgotten: 1 },
    lines: [{ kind: 'parked', schedule: 2, seed: 'q/1', recipient: 'r0', to: null, reason: 'no answer' }],
    leftOut: 0,
  };
  const totals = {
    requested: 6000,
    tally: tally({ once: 5888, parked: 110, dead: 2 }),
    armed: 0,
    fired: 0,
    virtualMs: 1,
  };

  test('tells of a search why people got nothing, where they are named, and what is in no sum', () => {
    const alone = (seed: string): string => `notify simulate --schedules 1 --seed ${seed}`;
    const text = simulateText(passing({ schedules: 5, totals, ends: unsent }), context({ alone, directory: 'out' }));
    expect(text).toContain('; in 5 schedules 6,000 requested + 4,000 outside the sums\n');
    expect(text).toContain(`
Not sent over all schedules (112), by reason
  110 parked in 2 schedules: no answer (fired there: amnesia in 2, pause in 2, kill in 2, 1 more)
  2 dead in 1 schedule: spent (fired there: outage)
  who: out/not-sent.ndjson, with schedule and seed; the first such schedule alone: notify simulate --schedules 1 --seed q/1

Outside the sums (4,000 recipients of 2 schedules)
  1 schedule: producer gone before its list was complete, nobody mailed
  1 schedule: the store lost the notification with its memory, nobody mailed
`);
    expect(simulateText(passing({ schedules: 5, totals, ends: unsent }), context())).toContain(
      '\n  --report DIR lists who, with',
    );
  });

  const own = (reason: string, of: number, first = 0) =>
    Array.from({ length: of }, (_, i) => ({ recipient: `r${first + i}`, state: 'failed', reason, own: true as const }));
  const failures: readonly (readonly [what: string, list: RunResult['notSent'], end: RegExp])[] = [
    ['nothing where a provider refused', notSent, /: 37 parked, 13 failed$/],
    [
      'one reason',
      own('content threw Error: no\nname', 90),
      /13 failed; 90 failed: content threw Error: no name \(below\)$/,
    ],
    [
      'the most frequent two of several, and how many more there are',
      [...own('a', 1), ...own('b', 5), ...own('c', 2), ...own('d', 1)],
      /; 5 failed: b; 2 failed: c; 2 failed for 2 more such reasons \(below\)$/,
    ],
  ];
  test.each(failures)('carries in its first line what failed by the config itself: %s', (_what, list, end) => {
    const result = runResult({ tally: tally({ once: 1950, parked: 37, failed: 13 }), notSent: list });
    expect(simulateText(passing({ result }), context()).split('\n')[0]).toMatch(end);
  });

  test('carries in its first line what failed by the config itself in a search, with no fault beside it', () => {
    const threw = {
      state: 'failed',
      reason: 'content threw Error',
      count: 90,
      schedules: 2,
      faults: [],
      own: true as const,
    };
    const ends = { ...unsent, reasons: [...unsent.reasons, threw] };
    const text = simulateText(passing({ schedules: 5, totals, ends }), context());
    expect(text).toMatch(/^PASS .*2 dead; .*; 90 failed: content threw Error \(below\)\n/);
  });

  test('says nothing of faults that never fired where nobody was reached, but why that is so', () => {
    const never = { verdict: 'inconclusive', doubts: ['nobody got a message'] } as const;
    const result = runResult({ tally: tally({ failed: 2_000 }), fired: [false] });
    expect(simulateText(passing({ ...never, result }), context())).not.toContain('never fired');
    expect(simulateText(passing({ ...never, result: runResult({ fired: [false] }) }), context())).toContain(
      'never fired: ',
    );
  });

  const stuck25 = Array.from({ length: 25 }, (_, i) => ({
    recipient: `r${i}`,
    state: i < 5 ? 'lost' : 'unsettled',
    reason: 'still dispatching at the end',
  }));
  test('counts and names whoever came to no end, and nobody of them as delivered', () => {
    const counts = tally({ once: 1_975, unsettled: 20, lost: 5 });
    const result = runResult({ tally: counts, notSent: [...notSent.slice(0, 1), ...stuck25] });
    const text = simulateText(failing({ result, totals: { ...totals, tally: counts } }), context());
    expect(text).toContain('  delivered  1,975 once, 0 recovered,');
    expect(text).toContain('  never      0 duplicated, 5 lost, 0 phantom, 20 unsettled\n');
    expect(text).toContain('\nNot sent (1), each with its reason\n');
    expect(text).toContain('\nNever settled, or lost (25), each with its reason\n  lost       r0 <');
    expect(text).toContain('  unsettled  r19: still dispatching at the end\n  and 5 more; see --report DIR\n');
  });

  test('counts whoever came to no end by reason after a search', () => {
    const reasons = [{ state: 'unsettled', reason: 'still dispatching', count: 3, schedules: 1, faults: [] }];
    const text = simulateText(passing({ schedules: 5, totals, ends: { ...unsent, reasons } }), context());
    expect(text).toContain(
      '\nNever settled, or lost over all schedules (3), by reason\n  3 unsettled in 1 schedule: still dispatching\n',
    );
  });

  const forgot = {
    faults: [{ kind: 'amnesia ledger.add B', armed: 1, fired: 1 }],
    moves: { seen: 1, declared: 2 },
    pairs: 0,
  };
  const parked = tally({ once: 1900, recovered: 49, parked: 51 });
  test.each([
    ['several schedules', passing({ schedules: 2 })],
    ['a store that forgot', passing({ coverage: forgot })],
    ['people parked by providers that take keys', passing({ result: runResult({ tally: parked }) })],
  ])('says nothing of other providers after %s', (_words, report) => {
    expect(simulateText(report, context())).toMatch(/^ {2}provider {3}takes keys \([^)]*\)$/m);
  });

  test('tells of a violation in times that people read', () => {
    const slow = { ...violation, message: 'still queued 21710000 ms after the heal point, not 900 ms' };
    const result = runResult({ violations: [slow] });
    expect(simulateText(passing({ verdict: 'violation', result }), context())).toContain(
      'still queued 6 h after the heal point, not 900 ms',
    );
  });

  const models: readonly [
    provider: 'keyed' | 'lookup' | 'plain',
    name: string,
    onUnknown: string | null,
    words: string,
  ][] = [
    ['keyed', 'transactional', null, 'without: up to 49 would be parked'],
    ['lookup', 'marketing', null, 'without either: up to 49 would be assumed sent without proof'],
    ['keyed', 'document', null, 'without: up to 49 would go out again by the other provider, declared'],
    ['keyed', 'document', 'park', 'without: up to 49 would be parked'],
    ['plain', 'security', null, 'with keys: up to 49 would be recovered'],
  ];
  test.each(models)('says what %s providers make of class %s (on unknown: %s)', (provider, name, onUnknown, words) => {
    const result = runResult({ setup: { ...setup, provider, class: name, onUnknown } });
    expect(simulateText(passing({ result }), context())).toContain(words);
  });

  test('says so when other providers would have made no difference', () => {
    const result = runResult({ tally: tally({ once: 2000 }) });
    expect(simulateText(passing({ result }), context())).toContain('without: the same, as no outcome stayed unknown');
  });
});
