import { describe, expect, test } from 'vitest';
import { endClass, type RecipientFacts } from '../../src/checkers/end-class.ts';
import type { EndClass } from '../../src/result.ts';

const SENT: RecipientFacts = {
  messages: 1,
  declaredExtras: 0,
  state: 'sent',
  assumed: false,
  mayAssume: false,
  everUnknown: false,
  anyParked: false,
  notMade: null,
  storeForgot: false,
};

const CASES: readonly [about: string, facts: Partial<RecipientFacts>, end: EndClass | null, isWrong: boolean][] = [
  ['known sent, one message', {}, 'once', false],
  ['delivered, one message', { state: 'delivered' }, 'once', false],
  ['bounced: the provider had taken it', { state: 'bounced' }, 'once', false],
  ['one message, first believed unknown', { everUnknown: true }, 'recovered', false],
  ['two messages, one declared', { messages: 2, declaredExtras: 1 }, 'resent', false],
  ['two messages, none declared', { messages: 2 }, 'duplicated', true],
  ['three messages, one declared', { messages: 3, declaredExtras: 1 }, 'duplicated', true],
  ['two messages beat the record', { messages: 2, state: 'dead' }, 'duplicated', true],
  ['two declared messages beat the record', { messages: 2, declaredExtras: 1, state: 'parked' }, 'resent', false],
  ['one message though one more was declared', { declaredExtras: 1 }, 'once', false],
  ['believed sent, no message', { messages: 0 }, 'lost', true],
  ['believed delivered, no message', { messages: 0, state: 'delivered' }, 'lost', true],
  ['assumed by policy, no message', { messages: 0, assumed: true, mayAssume: true }, 'assumed', false],
  ['assumed by policy, one message', { assumed: true, mayAssume: true }, 'assumed', false],
  ['assumed against the policy, no message', { messages: 0, assumed: true }, 'lost', true],
  ['parked, no message', { messages: 0, state: 'parked' }, 'parked', false],
  ['parked, one message', { state: 'parked' }, 'parked', false],
  ['refused for good', { messages: 0, state: 'failed' }, 'failed', false],
  ['attempts spent', { messages: 0, state: 'dead' }, 'dead', false],
  ['too late', { messages: 0, state: 'expired' }, 'expired', false],
  ['opted out', { messages: 0, state: 'suppressed' }, 'suppressed', false],
  ['cancelled', { messages: 0, state: 'cancelled' }, 'cancelled', false],
  ['believed dead, one message', { state: 'dead' }, 'dead', true],
  ['believed cancelled, one message', { state: 'cancelled' }, 'cancelled', true],
  ['dead after a parked generation, one message', { state: 'dead', anyParked: true }, 'dead', false],
  ['unsettled, no message', { messages: 0, state: 'retry-scheduled' }, 'lost', true],
  ['unsettled, one message', { state: 'unknown' }, 'unsettled', true],
  ['never made: cancelled before', { messages: 0, state: null, notMade: 'cancelled' }, 'cancelled', false],
  ['never made: routing failed', { messages: 0, state: null, notMade: 'failed' }, 'failed', false],
  ['never made: unsealed, and a message', { state: null, notMade: 'unsealed' }, null, false],
  ['never made: unsealed', { messages: 0, state: null, notMade: 'unsealed' }, null, false],
  ['never made: not expanded yet', { messages: 0, state: null, notMade: 'unfinished' }, 'lost', true],
  ['never made: forgotten with its notification', { messages: 0, state: null, notMade: 'forgotten' }, null, false],
  [
    'forgotten with its notification, one message',
    { state: null, notMade: 'forgotten', storeForgot: true },
    'recovered',
    false,
  ],
  [
    'forgotten after it was sent, notification cancelled',
    { state: null, notMade: 'cancelled', storeForgot: true },
    'recovered',
    false,
  ],
  ['said to be forgotten by a store that forgot nothing', { state: null, notMade: 'forgotten' }, null, true],
  ['never made, for no reason', { messages: 0, state: null, notMade: 'missing' }, 'lost', true],
  ['never made, one message', { state: null, notMade: 'cancelled' }, 'cancelled', true],
];

describe('the class of a recipient', () => {
  test.each(CASES)('%s', (_about, facts, end, isWrong) => {
    const actual = endClass({ ...SENT, ...facts });
    expect({ end: actual.end, isWrong: actual.wrong !== null }).toEqual({ end, isWrong });
  });
});
