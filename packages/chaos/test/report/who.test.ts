import { describe, expect, test } from 'vitest';
import { githubErrors } from '../../src/report/github.ts';
import { simulateJson } from '../../src/report/json.ts';
import { junit } from '../../src/report/junit.ts';
import { simulateText } from '../../src/report/text.ts';
import { who, whoInPlan } from '../../src/report/who.ts';
import { context, failing, passing, runResult, tally } from './fixtures.ts';

describe('a recipient', () => {
  test.each([
    ['its number, where nothing else is known', {}, {}, 'r7', 'r7'],
    ['its number and address', { r7: 'ann@x.example' }, {}, 'r7 <ann@x.example>', 'r7 <ann@x.example>'],
    ['its own id', {}, { r7: 'p44' }, 'p44', 'p44 (r7 in the plan)'],
    [
      'its own id and address',
      { r7: 'ann@x.example' },
      { r7: 'p44' },
      'p44 <ann@x.example>',
      'p44 <ann@x.example> (r7 in the plan)',
    ],
    [
      'its address, where that is its id',
      { r7: 'Ann@x.example' },
      { r7: 'ann@x.example' },
      'Ann@x.example',
      'Ann@x.example (r7 in the plan)',
    ],
  ])('is told by %s', (_what, addressOf, idOf, name, nameInPlan) => {
    expect(who({ addressOf, idOf }, 'r7')).toBe(name);
    expect(whoInPlan({ addressOf, idOf }, 'r7')).toBe(nameInPlan);
  });

  test('with an id of its own has that in every format', () => {
    const notSent = [{ recipient: 'r0', state: 'parked', reason: 'no answer' }];
    const named = { idOf: { r0: 'p44' }, addressOf: { r0: 'ann@x.example' } };
    const report = failing(named);
    for (const text of [
      simulateText(report, context()),
      junit(report, context()).replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
      githubErrors(report, context()).join('\n'),
    ])
      expect(text).toContain('p44 <ann@x.example> (r0 in the plan)');
    expect(simulateJson(report, context()).violations[0]?.recipient).toBe('p44');
    const listed = passing({ ...named, result: runResult({ notSent, tally: tally({ once: 1_999, parked: 1 }) }) });
    expect(simulateText(listed, context())).toContain('parked  p44 <ann@x.example>: no answer');
  });
});
