import { describe, expect, test } from 'vitest';
import { parsePlan } from '../../src/faults/parse.ts';
import { parsePlanFile } from '../../src/faults/parse-plan-file.ts';
import { SMALL } from '../world/simulate.ts';

const lost = { do: 'reply-lost', op: 'provider.send', entity: 'r17', nth: 1, phase: 'A' } as const;
const kill = { do: 'kill', acceptance: 800, moment: 'after-accept' } as const;

describe('a plan', () => {
  test('of valid faults is taken as it is', () => {
    const plan = [lost, kill, { ...lost, do: 'slow', phase: 'D', ms: 400 }, { ...kill, ms: 5 }];
    expect(parsePlan(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  const refused: readonly [what: string, plan: unknown, message: RegExp][] = [
    ['no array', { faults: [] }, /^a plan is a JSON array of faults, got \{"faults":\[\]\}$/],
    ['no object', [lost, 3], /^fault 1 must be an object, got 3$/],
    [
      'an unknown fault',
      [{ ...lost, do: 'reply-lsot' }],
      /^fault 0: do: 'reply-lsot' is no fault; known: request-lost, /,
    ],
    [
      'an unknown op',
      [{ ...lost, op: 'ledger.mrak' }],
      /^fault 0: op: 'ledger\.mrak' is nothing that happens in a run; known: /,
    ],
    [
      'a fault at the wrong op',
      [{ ...lost, do: 'bounce', op: 'ledger.mark' }],
      /^fault 0: op: 'bounce' cannot be at ledger\.mark, only at provider\.send$/,
    ],
    ['a wrong phase', [lost, { ...lost, phase: 'D' }], /^fault 1: phase must be one of A, got "D"$/],
    ['a wrong entity', [{ ...lost, entity: 'recipient 3' }], /^fault 0: entity must be a recipient \(r17\), a worker/],
    ['nth 0', [{ ...lost, nth: 0 }], /^fault 0: nth must be a whole number from 1, got 0$/],
    ['a length for a fault that has none', [{ ...lost, ms: 3 }], /^fault 0: ms: 'reply-lost' takes none$/],
    ['a negative length', [{ ...lost, do: 'slow', phase: 'D', ms: -1 }], /^fault 0: ms must be 0 or more, got -1$/],
    [
      'a length that is no number',
      [{ ...lost, do: 'slow', phase: 'D', ms: '3s' }],
      /^fault 0: ms must be a number, got "3s"$/,
    ],
    [
      'an unknown field',
      [{ ...lost, when: 3 }],
      /^fault 0: 'when' is no field of it; known: do, op, entity, nth, phase, ms, amount$/,
    ],
    ['a missing field', [{ do: 'reply-lost' }], /^fault 0: op must be a text, got nothing$/],
    [
      'an unknown moment',
      [{ ...kill, moment: 'later' }],
      /^fault 0: moment must be one of after-accept, before-send, /,
    ],
    ['acceptance 0', [{ ...kill, acceptance: 0 }], /^fault 0: acceptance must be a whole number from 1, got 0$/],
    ['another fault by acceptance', [{ ...kill, do: 'pause' }], /^fault 0: only 'kill' is addressed by an acceptance/],
  ];
  test.each(refused)('with %s is refused, naming the fault and the field', (_what, plan, message) => {
    expect(() => parsePlan(plan)).toThrow(expect.objectContaining({ code: 'PLAN_INVALID' }));
    expect(() => parsePlan(plan)).toThrow(message);
  });
});

describe('a plan file', () => {
  const file = {
    schema: 'sendonce.plan/1',
    title: 'a lost reply',
    seed: 's',
    setup: SMALL,
    faults: [lost],
    expect: 'pass',
  };

  test('is taken with its setup', () => {
    expect(parsePlanFile(file)).toEqual(file);
    expect(parsePlanFile({ ...file, setup: { ...SMALL, recipients: [3, 5] } }).setup.recipients).toEqual([3, 5]);
  });

  const refused: readonly [what: string, file: unknown, message: RegExp][] = [
    ['another schema', { ...file, schema: 'sendonce.plan/2' }, /^schema must be "sendonce\.plan\/1"/],
    ['an unknown class', { ...file, setup: { ...SMALL, class: 'urgent' } }, /^setup: class must be one of security, /],
    [
      'recipients that repeat',
      { ...file, setup: { ...SMALL, recipients: [1, 1] } },
      /^setup: recipients must be a count/,
    ],
    ['an unknown knob', { ...file, setup: { ...SMALL, knobs: { laese: 1 } } }, /^knobs\.laese is no knob/],
    [
      'no workers',
      { ...file, setup: { ...SMALL, workers: 0 } },
      /^setup: workers must be a whole number from 1, got 0$/,
    ],
    ['an unknown field', { ...file, note: '' }, /^the plan file: 'note' is no field of it/],
  ];
  test.each(refused)('with %s is refused', (_what, invalid, message) => {
    expect(() => parsePlanFile(invalid)).toThrow(message);
  });
});
