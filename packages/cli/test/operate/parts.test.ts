import {
  DELIVERY_STATES,
  SendonceError,
  type Attempt,
  type Counts,
  type DeliveryRecord,
  type Ledger,
  type NotifierConfig,
} from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { answering } from '../../src/operate/answering.ts';
import { cursorText, parseCursor } from '../../src/operate/dlq/cursor.ts';
import { fits, parseFilter } from '../../src/operate/letter-filter.ts';
import { masks } from '../../src/operate/mask.ts';
import { parseMoment } from '../../src/operate/parse-moment.ts';
import { parseRate } from '../../src/operate/parse-rate.ts';
import { prospectOf, type Prospect } from '../../src/operate/prospect.ts';
import { NO_REASON, reasonGroup } from '../../src/operate/reason-group.ts';
import { parseRequest } from '../../src/operate/replay/request.ts';
import { attentionOf } from '../../src/operate/status/attention.ts';
import { unsentOf } from '../../src/operate/status/unsent.ts';
import { columns, cut, relative, span } from '../../src/operate/words.ts';
import { nextStep } from '../../src/operate/why/next-step.ts';
import { storyOf } from '../../src/operate/why/story.ts';
import { record } from './support/record.ts';

const NOW = Date.UTC(2026, 2, 1, 12);
const HOUR = 3_600_000;

describe('a time', () => {
  test.each([
    ['2h', NOW - 2 * HOUR],
    ['30m', NOW - HOUR / 2],
    ['3d', NOW - 72 * HOUR],
    ['2026-03-01', Date.UTC(2026, 2, 1)],
    ['2026-03-01T02:30', Date.UTC(2026, 2, 1, 2, 30)],
    ['2026-03-01 02:30:15Z', Date.UTC(2026, 2, 1, 2, 30, 15)],
    ['2026-03-01T02:30+02:00', Date.UTC(2026, 2, 1, 0, 30)],
    ['2028-02-29', Date.UTC(2028, 1, 29)],
    ['2026-02-28T24:00Z', Date.UTC(2026, 2, 1)],
  ])('may be written %s', (text, at) => {
    expect(parseMoment('since', text, NOW)).toBe(at);
  });

  test.each(['', '2', 'yesterday', '2026', '2026-03-01T25:00', '03/01/2026', '-2h'])(
    'may not be written %j',
    (text) => {
      expect(() => parseMoment('since', text, NOW)).toThrow('expected how long ago (30m, 2h, 3d) or an ISO time');
    },
  );
});

test.each([
  '2026-02-30',
  '2026-02-29T10:00Z',
  '2026-04-31 00:00',
  '2026-06-31T12:00+02:00',
  '2026-13-45',
  '2026-01-00',
])('a day that there is not (%s) is refused, and not taken for another', (text) => {
  expect(() => parseFilter({ until: text }, NOW)).toThrow(`expected a day that there is: not ${text.slice(0, 10)}`);
});

test.each([
  ['50/s', 50],
  ['50', 50],
  ['120/m', 2],
  ['3600 / h', 1],
])('a rate of %s is %d a second', (text, rate) => {
  expect(parseRate('rate', text)).toBe(rate);
});

describe('what is asked for', () => {
  test.each([
    [{ include: 'parkd' }, '--include "parkd": did you mean parked?'],
    [{ since: '1h', until: '2h' }, '--until "2h": expected a later time'],
    [{ rate: '0/s' }, '--rate "0/s": expected how many at most'],
    [{ note: ' ' }, '--note " ": expected 1 to 4096 characters'],
    [{ limit: '0' }, '--limit "0": did you mean 1?'],
    [{ channel: 'emial' }, '--channel "emial": did you mean email?'],
    [{ reason: '' }, '--reason "": expected a text'],
  ])('is refused as %j', (flags, message) => {
    expect(() => parseRequest(flags, [], NOW)).toThrow(expect.objectContaining({ code: 'FLAG_INVALID' }));
    expect(() => parseRequest(flags, [], NOW)).toThrow(message);
  });

  test('is dead ones alone, unless others are named', () => {
    const statesOf = (include?: string) => parseRequest({ include }, [], NOW).terms.states;
    expect(statesOf()).toEqual(['dead']);
    expect(statesOf('parked, Failed')).toEqual(['dead', 'failed', 'parked']);
  });
});

describe('a filter', () => {
  const attempt: Attempt = {
    ...record().attempts[0]!,
    outcome: { kind: 'rejected', scope: 'message', reason: 'Mailbox full', code: '5.2.2' },
  };
  const letter = record({ attempts: [attempt], settledAt: NOW - HOUR, reason: 'attempts spent (1): Mailbox full' });
  test.each([
    [{ reason: 'mailbox FULL' }, true],
    [{ reason: '5.2.2' }, true],
    [{ reason: '5.2' }, false],
    [{ reason: 'timeout' }, false],
    [{ since: '2h' }, true],
    [{ since: '30m' }, false],
    [{ until: '30m' }, true],
    [{ until: '1h' }, false],
    [{ provider: 'first', channel: 'email', type: 'news', tenant: 'default' }, true],
    [{ provider: 'second' }, false],
    [{ channel: 'sms' }, false],
    [{ type: 'brief' }, false],
    [{ tenant: 'other' }, false],
  ])('%j fits: %s', (flags, expected) => {
    expect(fits(letter, parseFilter(flags, NOW))).toBe(expected);
  });
});

describe('a reason that a report has shown can be asked for as it was shown:', () => {
  const { target } = record();
  const REASONS = [
    'no mailbox Ann@example.org here',
    'attempts spent (5): 550 <bob@example.com> and +49 151 2345678 are unknown',
    'request 3f2a9c1b7d5e4f60aa of user 4711234 timed out',
    `Ann@example.org: ${'the server is busy and says so at length, '.repeat(5)}`,
    'two  spaces\nand a line',
    '99119911',
    'a plain one',
    null,
  ];
  const SHOWN: Readonly<Record<string, (reason: string | null) => string>> = {
    'a list of reasons': (reason) => cut(reasonGroup(reason), 90),
    'a table': (reason) => cut(masks(false).text(reason ?? NO_REASON, target), 70),
    'one delivery': (reason) => masks(false).text(reason ?? NO_REASON, target),
    'one that shows addresses': (reason) => reason ?? NO_REASON,
  };
  test.for(Object.entries(SHOWN))('%s', ([, shown]) => {
    for (const reason of REASONS) {
      const filter = parseFilter({ reason: shown(reason) }, NOW);
      const found = REASONS.filter((each) => fits(record({ reason: each, attempts: [] }), filter));
      expect(found, `${shown(reason)}`).toEqual([reason]);
    }
  });

  test('and so can what a provider answered', () => {
    const outcome = { kind: 'rejected', scope: 'message', reason: 'no user Ann@example.org' } as const;
    const letter = record({ attempts: [{ ...record().attempts[0]!, outcome }] });
    expect(fits(letter, parseFilter({ reason: 'no user a…@example.org' }, NOW))).toBe(true);
    expect(fits(letter, parseFilter({ reason: 'no user b…@example.org' }, NOW))).toBe(false);
  });
});

describe('what failed is told by its cause', () => {
  const refusal = { kind: 'rejected', scope: 'message', reason: 'no such user' } as const;
  const refused = record({ state: 'failed', attempts: [{ ...record().attempts[0]!, outcome: refusal }] });
  const notMade = record({ state: 'failed', attempts: [], reason: 'TypeError: no name' });
  const config = { channels: {}, notifications: {} } as NotifierConfig;

  const toldOf = async (items: readonly DeliveryRecord[]): Promise<string> => {
    const list: Ledger['list'] = ({ states }) =>
      Promise.resolve({ items: states?.includes('failed') ? items : [], cursor: null });
    const deliveries = { failed: items.length, dead: 0, parked: 0 } as Counts['deliveries'];
    const unsent = await unsentOf({ list } as Ledger, config, { deliveries } as Counts, NOW);
    const facts = { ...unsent, blocked: [], putBack: [], notifications: {}, lacking: { reasons: [] } };
    const told = attentionOf(facts as unknown as Parameters<typeof attentionOf>[0], (words) => words);
    return told.map(({ what }) => what).join('\n');
  };

  test.each([
    ['a refusal', [refused], /^1 message was refused for good$/],
    ['what came to no provider', [notMade], '1 message could not be made, so no provider was asked: their content'],
    ['both', [refused, notMade, notMade], /^1 message was refused .*\n2 messages could not be made/],
  ] as const)('in a status: %s', async (_what, items, words) => {
    const told = await toldOf(items);
    expect(told).toMatch(words);
    expect(told.split('\n')).toHaveLength(new Set(items).size);
  });

  test('as its next step', () => {
    expect(nextStep(refused, config, NOW).text).toContain('only if the refusal was wrong');
    expect(nextStep(notMade, config, NOW).text).toContain('No provider was asked: mend its content or its address');
  });
});

describe('what replaying would come to', () => {
  const open = { ...record().attempts[0]!, outcome: null };
  const cases: readonly [what: string, change: Partial<DeliveryRecord>, expected: Prospect][] = [
    ['dead', {}, { kind: 'chosen', possibleDuplicate: false }],
    ['dead with an open attempt', { attempts: [open] }, { kind: 'chosen', possibleDuplicate: true }],
    ['failed', { state: 'failed' }, { kind: 'not-included', state: 'failed' }],
    ['parked', { state: 'parked' }, { kind: 'not-included', state: 'parked' }],
    ['replayed', { replacedBy: 'd_2' }, { kind: 'already-replayed', as: 'd_2', isIncluded: true }],
    [
      'failed, replayed',
      { state: 'failed', replacedBy: 'd_2' },
      { kind: 'already-replayed', as: 'd_2', isIncluded: false },
    ],
    ['expired', { expiresAt: NOW }, { kind: 'refused', reason: 'it has expired' }],
    [
      'sent',
      { state: 'sent' },
      { kind: 'refused', reason: 'it is sent; only dead, failed and parked deliveries are replayed' },
    ],
  ];
  test.each(cases)('of one that is %s', (_what, change, expected) => {
    const terms = { states: ['dead'] as const, force: false, by: 'a', why: 'b' };
    expect(prospectOf(record(change), terms, { notificationCancelled: false, now: NOW })).toEqual(expected);
  });
});

describe('personal data', () => {
  test.each([
    ['ann@example.org', 'a…@example.org'],
    ['"odd @ name"@example.org', '"…@example.org'],
    ['+49 151 2345678', '+49…78'],
    ['https://hooks.example.org/T0/secret', 'https://hooks.example.org/…'],
    ['ExponentPushToken[xyz]', 'Ex…z]'],
    ['U01', 'U…1'],
    ['U1', '…1'],
    ['U2', '…2'],
    ['a', '…'],
  ])('%s is shown as %s', (address, shown) => {
    expect(masks(false).address(address)).toBe(shown);
    expect(masks(true).address(address)).toBe(address);
  });

  test('that are empty are no secret', () => {
    expect(masks(false).address('')).toBe('(empty)');
  });

  test('in a reason are masked as well, whoever they are of', () => {
    const { target } = record();
    const text = 'Ann@example.org and bob@example.com (<ann@example.org>, +4915123456789) were refused';
    expect(masks(false).text(text, target)).toBe(
      'A…@example.org and b…@example.com (<a…@example.org>, +49…89) were refused',
    );
    const device = { ...target, channel: 'push' as const, to: 'token-of-ann', recipientId: 'customer-17' };
    expect(masks(false).text('no device token-of-ann of customer-17', device)).toBe('no device to…nn of customer-17');
  });

  test('of a recipient are an address, but not an id of the user', () => {
    const { target } = record();
    expect(masks(false).recipient(target)).toBe('a…@example.org');
    expect(masks(false).recipient({ ...target, recipientId: 'customer-17' })).toBe('customer-17');
  });

  test('and ids make no kinds of reasons', () => {
    expect(reasonGroup('user 4711234 of ann@example.org: request 3f2a9c1b7d5e4f60aa is gone')).toBe(
      'user … of a…@example.org: request … is gone',
    );
    expect(reasonGroup('attempts spent (5): connection refused')).toBe('attempts spent (5): connection refused');
  });
});

test.each([
  [0, '0 s'],
  [59_000, '59 s'],
  [90_000, '1 min 30 s'],
  [2 * HOUR, '2 h'],
  [51 * HOUR, '2 d 3 h'],
])('%d ms are %s', (ms, words) => {
  expect(span(ms)).toBe(words);
  expect(relative(NOW - ms, NOW)).toBe(ms === 0 ? 'now' : `${words} ago`);
});

test('columns are as wide as their widest cell', () => {
  expect(
    columns([
      ['a', 'b'],
      ['…long', 'c'],
    ]),
  ).toEqual(['a      b', '…long  c']);
});

test('a cursor reads what it wrote', () => {
  for (const cursor of [
    { page: null, after: 'd_x-Y' },
    { page: '3~4', after: 'd_1' },
  ])
    expect(parseCursor(cursorText(cursor))).toEqual(cursor);
  expect(() => parseCursor('300')).toThrow('--cursor "300"');
});

describe('a ledger', () => {
  test('that answers nothing is out of reach', async () => {
    await expect(answering('count', new Promise(() => {}), 1)).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      message: expect.stringContaining('the ledger could not count: no answer within'),
    });
  });

  test('that fails without a code of ours is out of reach, with its own words', async () => {
    const refused = new Error('connect ECONNREFUSED 127.0.0.1:6379');
    await expect(answering('count', Promise.reject(refused))).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      message: expect.stringContaining('ECONNREFUSED'),
      cause: refused,
    });
    const ours = new SendonceError('LEDGER_LOCKED', 'locked');
    await expect(answering('count', Promise.reject(ours))).rejects.toBe(ours);
  });
});

describe('the story of a delivery', () => {
  const config = {
    channels: { email: { providers: [{ name: 'first' }] } },
    notifications: { news: { onUnknown: 'resend' } },
  } as unknown as NotifierConfig;

  test.each(DELIVERY_STATES.map((state) => [state]))('has a next step for %s', (state) => {
    const { text } = nextStep(record({ state, leaseUntil: NOW, dispatchUntil: NOW }), config, NOW);
    expect(text.length).toBeGreaterThan(20);
    expect(text).not.toMatch(/undefined|null/);
  });

  test.each([
    [
      'waiting for its time',
      { state: 'retry-scheduled', dueAt: NOW + HOUR },
      /^a worker tries it at .*, in 1 h, by first/,
    ],
    [
      'late',
      { state: 'queued', dueAt: NOW - HOUR },
      /^the next free worker tries it, by first; it has been due since .*, 1 h ago/,
    ],
    ['paused', { state: 'queued', reason: 'blocked: provider:first' }, /^it waits because provider:first is paused/],
    ['unknown', { state: 'unknown' }, /its policy is resend$/],
    [
      'unknown and called off',
      { state: 'unknown', forbidden: 'cancelled' },
      /nothing new is sent, because it is cancelled$/,
    ],
    ...(['delivered', 'bounced', 'undeliverable', 'suppressed', 'cancelled'] as const).map(
      (state) => [state, { state }, new RegExp(`^nothing: it is ${state}, and that is final$`)] as const,
    ),
    ['expired', { state: 'expired' }, /^nothing: it was not sent, and its time is over/],
    ['replaced', { replacedBy: 'd_2' }, /another was sent in its place/],
  ] as const)('says what comes next when it is %s', (_what, change, words) => {
    expect(nextStep(record(change), config, NOW).text).toMatch(words);
  });

  test('is told from the record when its moves are gone', () => {
    const declared = { kind: 'failover', afterAttempt: 1, provider: 'second', at: 3_000 } as const;
    const story = storyOf(record({ declarations: [declared] }), [], null, masks(false));
    expect(story.map(({ text }) => text)).toEqual([
      'made by fan-out, for A…@example.org on email',
      'attempt 1 at first: not sent: connection refused',
      'written down as a possible duplicate: it goes to second although an earlier attempt may have been sent',
      'gave up: attempts spent (1): connection refused',
    ]);
  });

  test.each([
    ['failed', 'invalid address: the address is empty', 'failed for good: invalid address: the address is empty'],
    ['queued', null, null],
  ] as const)('of one that was born %s says why', (state, reason, told) => {
    const born = record({ state, reason, attempts: [] });
    const move = { at: 1, from: null, to: state, by: 'fan-out', fence: 0, note: null };
    expect(storyOf(born, [move], null, masks(false)).map(({ text }) => text)).toEqual([
      `made by fan-out, for A…@example.org on email${told === null ? '' : `; ${told}`}`,
    ]);
  });
});
