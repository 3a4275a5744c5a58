import { describe, expect, test } from 'vitest';
import type { Paint } from '../../src/report/paint.ts';
import { simulateText } from '../../src/report/text.ts';
import type { ReportContext } from '../../src/report/context.ts';
import type { SimulateReport } from '../../src/report/types.ts';
import type { RunResult, Tally, Violation } from '../../src/result.ts';
import { context, failing, kill, lostReply, passing, runResult, setup, tally, violation } from './fixtures.ts';

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
    passing({ verdict: 'inconclusive', nondeterminism: { seed: 'apple-3', first: '8c1f', second: '77ab' } }),
    context(),
  ],
  ['interrupted', passing({ verdict: 'inconclusive', interrupted: true }), context()],
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

  test('says that the list of a search is that of one schedule', () => {
    const totals = { requested: 6000, tally: tally({ once: 5888, parked: 112 }), armed: 0, fired: 0, virtualMs: 1 };
    const result = runResult({ tally: tally({ once: 1998, parked: 2 }), notSent: notSent.slice(0, 2) });
    expect(simulateText(passing({ schedules: 3, totals, result }), context())).toContain(
      '\nNot sent in the schedule shown (2 of 112 over all schedules), each with its reason\n',
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
