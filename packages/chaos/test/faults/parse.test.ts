import { describe, expect, test } from 'vitest';
import { parsePlan as parse } from '../../src/faults/parse.ts';
import { parsePlanFile } from '../../src/faults/parse-plan-file.ts';
import type { Fault } from '../../src/plan.ts';
import { limitsIn } from '../../src/world/limits.ts';
import { SMALL } from '../world/simulate.ts';

const parsePlan = (json: unknown): readonly Fault[] => parse(json, limitsIn(SMALL, null));

const lost = { do: 'reply-lost', op: 'provider.send', entity: 'r17', nth: 1, phase: 'A' } as const;
const kill = { do: 'kill', acceptance: 800, moment: 'after-accept' } as const;

describe('a plan', () => {
  test('of valid faults is taken as it is', () => {
    const plan = [lost, kill, { ...lost, do: 'slow', phase: 'D', ms: 400 }, { ...kill, ms: 5 }];
    expect(parsePlan(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  const slow = { ...lost, do: 'slow', phase: 'D' } as const;
  const twice = { ...lost, do: 'duplicate', op: 'queue.receive', amount: 2 } as const;
  const refused: readonly [what: string, plan: unknown, message: string | RegExp][] = [
    ['no array', { faults: [] }, 'faults must be an array, got {"faults":[]}'],
    ['no object', [lost, 3], 'faults[1] must be an object, got 3'],
    ['null for a fault', [null], 'faults[0] must be an object, got null'],
    [
      'an unknown fault',
      [{ ...lost, do: 'reply-lsot' }],
      /^faults\[0\]\.do must be one of request-lost, .* \(did you mean 'reply-lost'\?\); got "reply-lsot"$/,
    ],
    [
      'an unknown op',
      [{ ...lost, op: 'ledger.mrak' }],
      /^faults\[0\]\.op must be one of ledger\.accept, .* \(did you mean 'ledger\.mark'\?\); got "ledger\.mrak"$/,
    ],
    [
      'a fault at the wrong op',
      [{ ...lost, do: 'bounce', op: 'ledger.mark' }],
      "faults[0].op: 'bounce' cannot be at ledger.mark, only at provider.send",
    ],
    ['a wrong phase', [lost, { ...lost, phase: 'D' }], 'faults[1].phase must be one of A; got "D"'],
    ['an unknown phase', [lost, { ...lost, phase: 'Z' }], 'faults[1].phase must be one of A; got "Z"'],
    [
      'a wrong entity',
      [{ ...lost, entity: 'recipient 3' }],
      /^faults\[0\]\.entity must be a recipient \(r17\), a worker/,
    ],
    ['nth 0', [{ ...lost, nth: 0 }], /^faults\[0\]\.nth must be a whole number from 1 to \d+, got 0$/],
    ['half of an nth', [{ ...lost, nth: 1.5 }], /^faults\[0\]\.nth must be a whole number from 1/],
    [
      'a length for a fault that has none',
      [{ ...lost, ms: 3 }],
      "faults[0].ms is too much: 'reply-lost' has no length; leave it out",
    ],
    ['a negative length', [{ ...slow, ms: -1 }], 'faults[0].ms must be a whole number from 0 to 2592000000, got -1'],
    [
      'an endless length',
      [{ ...slow, ms: 1e15 }],
      /^faults\[0\]\.ms must be a whole number from 0 to 2592000000, got 1/,
    ],
    ['a length that is no number', [{ ...slow, ms: '3s' }], /^faults\[0\]\.ms must be a whole number .*, got "3s"$/],
    [
      'a number for a fault that takes none',
      [{ ...lost, amount: 3 }],
      /^faults\[0\]\.amount is too much: 'reply-lost'/,
    ],
    [
      'too large a number',
      [{ ...twice, amount: 1e9 }],
      'faults[0].amount must be a whole number from 2 to 100, got 1000000000',
    ],
    ['too small a number', [{ ...twice, amount: 1 }], 'faults[0].amount must be a whole number from 2 to 100, got 1'],
    [
      'a misspelt field',
      [{ ...lost, fase: 'A' }],
      "faults[0].fase is not a field of a plan; here may be do, op, entity, nth, phase, ms, amount (did you mean 'phase'?)",
    ],
    ['an unknown field', [{ ...lost, when: 3 }], /^faults\[0\]\.when is not a field of a plan; here may be do, op, /],
    ['a missing field', [{ do: 'reply-lost' }], /^faults\[0\]\.op must be one of .*; got nothing$/],
    [
      'a poison that is no recipient’s',
      [{ do: 'poison', op: 'ledger.mark', entity: 'w1', nth: 1, phase: 'B' }],
      /^faults\[0\]\.entity must be a recipient \(r17\) for 'poison'/,
    ],
    [
      'an unknown moment',
      [{ ...kill, moment: 'later' }],
      /^faults\[0\]\.moment must be one of after-accept, before-send, /,
    ],
    [
      'acceptance 0',
      [{ ...kill, acceptance: 0 }],
      /^faults\[0\]\.acceptance must be a whole number from 1 to \d+, got 0$/,
    ],
    ['a kill by acceptance that takes no time', [{ ...kill, ms: 0 }], /^faults\[0\]\.ms must be a whole number from 1/],
    [
      'another fault by acceptance',
      [{ ...kill, do: 'pause' }],
      `faults[0].do must be 'kill' where a fault is addressed by an acceptance, got "pause"`,
    ],
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

  const world = (changes: object): object => ({ ...file, setup: { ...SMALL, ...changes } });
  const without = (field: string): object =>
    Object.fromEntries(Object.entries(file).filter(([name]) => name !== field));
  const refused: readonly [what: string, file: unknown, message: string | RegExp][] = [
    ['a list for the file', [], 'a plan file must be an object, got []'],
    ['null for the file', null, 'a plan file must be an object, got null'],
    [
      'another schema',
      { ...file, schema: 'sendonce.plan/2' },
      /^schema must be "sendonce\.plan\/1" for this version, got /,
    ],
    ['no seed', without('seed'), 'seed must be a text, got nothing'],
    ['a number for its seed', { ...file, seed: 1 }, 'seed must be a text, got 1'],
    ['no title', without('title'), 'title must be a text, got nothing'],
    ['no setup', without('setup'), 'setup must be an object, got nothing'],
    ['no faults', without('faults'), 'faults must be an array, got nothing'],
    ['an unknown field', { ...file, note: '' }, /^note is not a field of a plan; here may be schema, title, /],
    [
      'an end that there is not',
      { ...file, expect: 'pas' },
      /^expect must be one of pass, S1, .*END \(did you mean 'pass'\?\); got "pas"$/,
    ],
    ['an unknown class', world({ class: 'urgent' }), /^setup\.class must be one of security, .*; got "urgent"$/],
    ['an unknown provider', world({ provider: 'keyd' }), /^setup\.provider must be one of .*did you mean 'keyed'/],
    ['an unknown action', world({ onUnknown: 'prak' }), /^setup\.onUnknown must be one of .*did you mean 'park'/],
    ['a word for its queue', world({ queue: 'yes' }), 'setup.queue must be true or false, got "yes"'],
    [
      'a sender that there is not',
      world({ sender: 'naive-lok' }),
      /^setup\.sender must be one of naive-lock, .*\(did you mean 'naive-lock'\?\); got "naive-lok"$/,
    ],
    [
      'recipients that repeat',
      world({ recipients: [1, 1] }),
      /^setup\.recipients must be a whole number from 1 to 1000000, or a list/,
    ],
    ['no recipients', world({ recipients: 0 }), /^setup\.recipients must be .*, got 0$/],
    ['an empty list of recipients', world({ recipients: [] }), /^setup\.recipients must be .*, got \[\]$/],
    ['more recipients than there can be', world({ recipients: 1e9 }), /^setup\.recipients must be .*, got 1000000000$/],
    ['a recipient beyond them', world({ recipients: [1e9] }), /^setup\.recipients must be .*, got \[1000000000\]$/],
    ['no workers', world({ workers: 0 }), 'setup.workers must be a whole number from 1 to 64, got 0'],
    ['too many workers', world({ workers: 1e6 }), 'setup.workers must be a whole number from 1 to 64, got 1000000'],
    [
      'too many at once',
      world({ concurrency: 1e6 }),
      'setup.concurrency must be a whole number from 1 to 10000, got 1000000',
    ],
    [
      'an unknown knob',
      world({ knobs: { laeseMs: 1 } }),
      /^setup\.knobs\.laeseMs is not a field of a plan; here may be batch, leaseMs, .*\(did you mean 'leaseMs'\?\)$/,
    ],
    [
      'a knob out of its bounds',
      world({ knobs: { leaseMs: 0 } }),
      'setup.knobs.leaseMs must be a number from 1000 to 3600000, got 0',
    ],
    [
      'a text for a knob',
      world({ knobs: { leaseMs: '2000' } }),
      'setup.knobs.leaseMs must be a number from 1000 to 3600000, got "2000"',
    ],
    [
      'half of a page',
      world({ knobs: { page: 1.5 } }),
      'setup.knobs.page must be a whole number from 1 to 10000, got 1.5',
    ],
    [
      'an unknown field in its setup',
      world({ worker: 1 }),
      /^setup\.worker is not a field of a plan; .*did you mean 'workers'/,
    ],
  ];
  test.each(refused)('with %s is refused, naming the place', (_what, invalid, message) => {
    expect(() => parsePlanFile(invalid)).toThrow(expect.objectContaining({ code: 'PLAN_INVALID' }));
    expect(() => parsePlanFile(invalid)).toThrow(message);
  });

  test.each(['pass', 'S1', 'L4', 'META', 'END'])('may expect %s', (expected) => {
    expect(parsePlanFile({ ...file, expect: expected }).expect).toBe(expected);
  });
});
