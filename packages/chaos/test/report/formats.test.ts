import { describe, expect, test } from 'vitest';
import { count, duration, ordinal, pad, plural, wrap } from '../../src/report/format.ts';
import { FAULTS } from '../../src/faults/index.ts';
import type { CallFault } from '../../src/plan.ts';
import { faultWords } from '../../src/report/fault-words.ts';
import { githubErrors, githubSummary } from '../../src/report/github.ts';
import { simulateJson } from '../../src/report/json.ts';
import { junit } from '../../src/report/junit.ts';
import { ndjson } from '../../src/report/ndjson.ts';
import { selfTestJson, selfTestText } from '../../src/report/self-test.ts';
import { plainPaint } from '../../src/report/paint.ts';
import { simulateText } from '../../src/report/text.ts';
import { CLASSES_OF_END } from '../../src/result.ts';
import type { SelfTestReport, SimulateReport } from '../../src/report/types.ts';
import { context, failing, kill, lostReply, nothing, passing, runResult, setup, story, violation } from './fixtures.ts';

describe('the JSON of a report', () => {
  test('has exactly the keys of the contract, in its order', () => {
    expect(Object.keys(simulateJson(passing(), context()))).toEqual(
      `schema verdict mode seed recipients workers schedules input merged invalid requested once recovered resent assumed parked failed dead
       expired suppressed cancelled unsettled duplicated lost phantom kills faults violations virtualMs wallMs traceHash`.split(
        /\s+/,
      ),
    );
  });

  test('adds up over all schedules: rows to requests, requests to ends', () => {
    const input = {
      source: 'x.csv',
      rows: 2010,
      merged: 4,
      invalid: Array.from({ length: 6 }, (_, i) => ({ line: i, reason: '' })),
    };
    const json = simulateJson(failing(), context({ input }));
    expect(json.input).toBe(json.requested + json.merged + json.invalid);
    const ends = CLASSES_OF_END.filter((end) => end !== 'phantom');
    expect(ends.reduce((sum, end) => sum + json[end], 0)).toBe(json.requested);
  });

  test('adds up where a producer left recipients unfinished, who are in no sum', () => {
    const input = { source: 'x.csv', rows: 5000, merged: 4, invalid: [] };
    const json = simulateJson(passing(), context({ input }));
    expect(json.input).toBe(json.requested + json.merged + json.invalid);
  });

  test('names each broken invariant once, by address where one is known, and the plan where it shows that one', () => {
    expect(simulateJson(failing(), context({ planFile: 'out/S1.plan.json' })).violations).toEqual([
      { invariant: 'S1', recipient: 'jörg+news@example.com', plan: 'out/S1.plan.json' },
      { invariant: 'END', recipient: 'r7', plan: null },
    ]);
  });

  test('lists the reasons of a search with five keys', () => {
    const reason = { state: 'failed', reason: 'content threw', count: 1, schedules: 1, faults: [] };
    const outside = { recipients: 0, schedules: 0, producerGone: 0, forgotten: 0 };
    const ends = { reasons: [{ ...reason, own: true as const }], outside, lines: [], leftOut: 0 };
    expect(simulateJson(passing({ schedules: 2, ends }), context()).notSent).toEqual([reason]);
    expect(githubSummary(passing({ schedules: 2, ends }), context())).toContain('\n- 1 failed: content threw\n');
  });

  test('carries the kills with their three keys', () => {
    expect(simulateJson(passing(), context()).kills).toEqual([{ at: 800, worker: 'w2', phase: 'after-accept' }]);
  });
});

describe('the JUnit file', () => {
  test('has a case for each invariant and a failure for each broken one', async () => {
    await expect(junit(failing(), context())).toMatchFileSnapshot('./pages/violation.junit.xml');
  });

  test('has an error when the run proves nothing', () => {
    const xml = junit(passing({ verdict: 'inconclusive', doubts: ['kill never fired'] }), context());
    expect(xml).toContain('tests="7" failures="0" errors="1"');
    expect(xml).toContain('<error message="kill never fired" type="inconclusive">kill never fired</error>');
  });

  test('stays XML whatever a message holds', () => {
    const nasty = { ...violation, message: `<b>"&'\u0000\n]]>` };
    const xml = junit(failing({ result: runResult({ violations: [nasty] }) }), context());
    expect(xml).toContain(`message="&lt;b&gt;&quot;&amp;'?&#10;]]&gt;"`);
  });
});

describe('the GitHub lines', () => {
  test('are one error per broken invariant, on one line each', () => {
    expect(githubErrors(failing(), context())).toEqual([
      '::error title=notify simulate%3A S1%2C at most one message per delivery%2C declared repeats apart::r0 <jörg+news@example.com>: p0 took a second message for the same delivery, and no possible duplicate had been declared.%0ARerun: notify simulate --recipients 2000 --kill-at 800 --seed apple',
      '::error title=notify simulate%3A END%2C the sums add up%3A one end for each recipient%2C and a cause for each that is no message::r7: 2 recipients ended as duplicated.%0ARerun: notify simulate --recipients 2000 --kill-at 800 --seed apple',
    ]);
    expect(githubErrors(passing(), context())).toEqual([]);
  });

  test('summarise the run as a table', async () => {
    await expect(githubSummary(failing(), context())).toMatchFileSnapshot('./pages/violation.github.txt');
  });
});

describe('a run that somebody interrupted', () => {
  const cases: readonly (readonly [when: string, report: SimulateReport, message: string])[] = [
    ['before any schedule ended', nothing(), 'interrupted before any schedule came to its end: nothing is known'],
    [
      'after some',
      passing({ verdict: 'interrupted', interrupted: true, schedules: 40 }),
      'interrupted after 40 schedules: nothing is known of what was not run',
    ],
    [
      'after it found something',
      failing({ interrupted: true }),
      'interrupted after 3 schedules: nothing is known of what was not run',
    ],
    ['for real', nothing({ mode: 'real' }), 'interrupted before any schedule came to its end: nothing is known'],
  ];

  test.each(cases)('%s reads like a pass in no format', (_when, report, message) => {
    const xml = junit(report, context());
    expect(xml).toContain(`<error message="${message}" type="inconclusive">`);
    expect(xml).toContain(`tests="${report.checked.length + 1}"`);
    expect(githubErrors(report, context()).at(-1)).toBe(
      `::error title=notify simulate%3A interrupted::${message}%0ARerun: ${context().again}`,
    );
    const summary = githubSummary(report, context());
    expect(summary).toContain(`- ${message}`);
    expect(simulateJson(report, context()).verdict).not.toBe('pass');
    for (const text of [xml, summary, simulateText(report, context())]) expect(text).not.toMatch(/\bpass\b/i);
  });

  test.each([true, false])('has no pass of the self-test in it, all others caught: %s', (passed) => {
    const self: SelfTestReport = { passed, rows: [], wallMs: 1, interrupted: true };
    expect(selfTestJson(self, 'apple').verdict).toBe('interrupted');
    expect(selfTestText(self, 'apple', plainPaint)).toMatch(/^INTERRUPTED {2}0 of 0/);
  });
});

describe('the events file', () => {
  test('has one event a line, and each line is JSON', () => {
    const lines = [...ndjson(story)];
    expect(lines).toHaveLength(story.length);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(story);
    expect(lines.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true);
  });
});

describe('the self-test', () => {
  const row = {
    sender: 'naive-lock',
    about: 'locks, answers done when locked, then sends',
    expected: ['lost'],
    caught: true,
    seen: 'lost',
    plan: {
      schema: 'sendonce.plan/1',
      title: '',
      seed: '1',
      setup: { ...setup, recipients: [0] },
      faults: [lostReply],
    },
    wallMs: 120,
  } as const;
  const missed = { ...row, sender: 'lock-4h', expected: ['stuck'], caught: false, seen: null, plan: null };
  const report: SelfTestReport = { passed: false, rows: [row, missed], wallMs: 1_500, interrupted: false };

  test('has a line per known-bad sender', async () => {
    await expect(selfTestText(report, 'apple', plainPaint)).toMatchFileSnapshot('./pages/self-test.txt');
  });

  test.each([
    ['apple', '--seed apple'],
    ['--', '--seed=--'],
  ])('is run again with the seed %s as a shell and a flag take it', (seed, words) => {
    expect(selfTestText(report, seed, plainPaint)).toMatch(new RegExp(`--self-test ${words}$`, 'm'));
  });

  test('has the same as JSON', () => {
    expect(selfTestJson(report, 'apple')).toEqual({
      schema: 'sendonce.self-test/1',
      verdict: 'fail',
      seed: 'apple',
      senders: [
        { sender: 'naive-lock', expected: ['lost'], caught: true, seen: 'lost', faults: 1, recipients: 1, wallMs: 120 },
        {
          sender: 'lock-4h',
          expected: ['stuck'],
          caught: false,
          seen: null,
          faults: null,
          recipients: null,
          wallMs: 120,
        },
      ],
      wallMs: 1_500,
    });
  });
});

describe('the words of a fault', () => {
  const faults = FAULTS.flatMap((kind) =>
    kind.ops.flatMap((op) =>
      kind.phases.flatMap((phase): CallFault[] => {
        const fault = { do: kind.do, op, entity: 'r0', nth: 1, phase };
        const sized = { ...fault, ...(kind.ms && { ms: 999 }), ...(kind.amount && { amount: 2 }) };
        return [fault, sized];
      }),
    ),
  );

  test('leave no part of their template open, whatever is done to whatever call', () => {
    const open = /\([AB]\)|(?<!\d )\bms\b|\bamount\b|that much|is that old|undefined|NaN/;
    expect(faults.map(faultWords).filter((words) => open.test(words))).toEqual([]);
  });

  test('say what is different between the moments of a kind', () => {
    for (const { do: name, ops, phases } of FAULTS) {
      const all = phases.map((phase) => faultWords({ do: name, op: ops[0] ?? '', entity: 'r0', nth: 1, phase }));
      expect(new Set(all).size).toBe(phases.length);
    }
  });

  test('are a sentence', () => {
    const kill = { do: 'kill', op: 'ledger.mark', entity: 'r0', nth: 1, ms: 999 };
    expect(faultWords({ ...kill, phase: 'B' })).toBe(
      'the worker that makes the 1st ledger.mark of r0 is killed before the request leaves, and starts again 999 ms later',
    );
    expect(faultWords({ ...kill, phase: 'A' })).toBe(
      'the worker that makes the 1st ledger.mark of r0 is killed after the call was applied and before its reply, and starts again 999 ms later',
    );
  });
});

describe('words', () => {
  test.each([
    [
      faultWords(kill),
      'the worker that holds the 800th acceptance is killed after the provider accepted, before the worker knew',
    ],
    [
      faultWords({ do: 'kill', acceptance: 1, moment: 'mid-batch', ms: 5_000 }),
      'the worker that holds the 1st acceptance is killed in the middle of its batch and comes back 5 s later',
    ],
    [
      faultWords(lostReply),
      'at the 1st provider.send of r0: the provider did it, and the reply is lost; the caller hears nothing and gives up',
    ],
    [
      faultWords({ do: 'nonesuch', op: 'ledger.mark', entity: '*', nth: 12, phase: 'D', ms: 840_000, amount: 3 }),
      'at the 12th ledger.mark of anybody: nonesuch (on its way), for 14 min, size 3',
    ],
    [count(1234567), '1,234,567'],
    [plural(1, 'worker'), '1 worker'],
    [ordinal(11), '11th'],
    [ordinal(22), '22nd'],
    [ordinal(1003), '1,003rd'],
    [duration(12), '12 ms'],
    [duration(59_960), '60 s'],
    [duration(90_000), '1.5 min'],
    [duration(172_800_000), '2 d'],
    [pad('\u001b[31mab\u001b[39m', 4), '\u001b[31mab\u001b[39m  '],
    [wrap('one two three', 7).join('|'), 'one two|three'],
  ])('read %j', (text, expected) => {
    expect(text).toBe(expected);
  });
});
