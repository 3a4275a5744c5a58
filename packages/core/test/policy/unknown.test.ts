import { describe, expect, test } from 'vitest';
import {
  ANY_PROVIDER,
  CLASS_POLICIES,
  DELIVERY_CLASSES,
  type DeliveryClass,
  type DeliveryRecord,
  type LookupAnswer,
} from '../../src/index.ts';
import { decideAfterLookup, decideUnknown, steps } from '../../src/internal.ts';
import type { UnknownFacts } from '../../src/policy/unknown.ts';
import { attempt, T0, withAttempts } from '../support/record.ts';
import { capabilities, KEY_MARGIN_MS, KEY_WINDOW_MS, SETTLE_MS, unknown } from '../support/story.ts';

type Has = Parameters<typeof capabilities>[0];

const SEND_DEADLINE_MS = 55_000;
const FOUND: LookupAnswer = { kind: 'found', providerMessageId: 'm-1' };
const ABSENT: LookupAnswer = { kind: 'absent' };
const CANNOT_TELL: LookupAnswer = { kind: 'cannot-tell', reason: '503' };

/** One attempt at p0 is open, marked at T0; p1 is the other provider. */
function facts(
  of: DeliveryClass,
  has: Has,
  atMs: number,
  patch: Partial<DeliveryRecord> = {},
  more: Partial<UnknownFacts> = {},
): UnknownFacts {
  const record = withAttempts([attempt({ outcome: unknown })], {
    state: 'unknown',
    class: of,
    fence: 1,
    reason: 'timeout',
    ...patch,
  });
  return {
    record,
    nowMs: T0 + atMs,
    epochChangedAt: null,
    policy: CLASS_POLICIES[of],
    order: ['p0', 'p1'],
    capabilities: () => capabilities(has),
    keyMarginMs: KEY_MARGIN_MS,
    random: 0,
    ...more,
  };
}

/** In words: what is done, where, and in how long. */
function word(decision: ReturnType<typeof decideUnknown>): string {
  switch (decision.kind) {
    case 'ask':
      return `ask about ${decision.attempt.n}`;
    case 'narrow':
      return `narrow to ${decision.provider}`;
    case 'replay':
      return `replay at ${decision.provider} in ${decision.delayMs}`;
    case 'declare':
      return `declare ${decision.declaration} at ${decision.provider} in ${decision.delayMs}`;
    case 'wait':
      return `wait ${decision.delayMs}`;
    case 'found':
      return `found ${decision.attempt}`;
    case 'absent':
      return `absent at ${decision.provider}`;
    case 'park':
    case 'assume-sent':
      return decision.kind;
  }
}

const INSIDE = 60_000;
const CLOSED = KEY_WINDOW_MS - KEY_MARGIN_MS;
const BEFORE_SETTLE = SEND_DEADLINE_MS + SETTLE_MS - 1;
const AFTER_SETTLE = SEND_DEADLINE_MS + SETTLE_MS;
const RESEND = 'declare resend at p0 in 0';
const FAILOVER = 'declare failover at p1 in 0';
const REPLAY = 'replay at p0 in 0';
const ABSENT_COUNTS = 'absent at p0';

/** PROTOCOL section 3, column by column: what each class does about one open attempt. */
const TABLE: Readonly<
  Record<
    DeliveryClass,
    {
      /** With a key: at once, 31 s after the mark, and when the window has closed. */
      readonly key: readonly [atOnce: string, after31s: string, closed: string];
      /** With an authoritative lookup that says "absent": before its settle time, and after. */
      readonly absent: readonly [before: string, after: string];
      /** With a lookup that fails, and with one that can only prove a send and says "absent" late. */
      readonly cannotTell: string;
      readonly positiveOnly: string;
      readonly neither: string;
    }
  >
> = {
  security: {
    key: [REPLAY, RESEND, RESEND],
    absent: [RESEND, ABSENT_COUNTS],
    cannotTell: RESEND,
    positiveOnly: RESEND,
    neither: RESEND,
  },
  document: {
    key: [REPLAY, REPLAY, FAILOVER],
    absent: ['wait 1', ABSENT_COUNTS],
    cannotTell: 'wait 30000',
    positiveOnly: FAILOVER,
    neither: FAILOVER,
  },
  transactional: {
    key: [REPLAY, REPLAY, 'park'],
    absent: ['wait 1', ABSENT_COUNTS],
    cannotTell: 'wait 30000',
    positiveOnly: 'park',
    neither: 'park',
  },
  legal: {
    key: [REPLAY, REPLAY, 'park'],
    absent: ['wait 1', ABSENT_COUNTS],
    cannotTell: 'wait 30000',
    positiveOnly: 'park',
    neither: 'park',
  },
  // Never asked: an alert is worth less than the time that a lookup takes.
  alert: {
    key: [REPLAY, REPLAY, RESEND],
    absent: [RESEND, RESEND],
    cannotTell: RESEND,
    positiveOnly: RESEND,
    neither: RESEND,
  },
  marketing: {
    key: [REPLAY, REPLAY, 'assume-sent'],
    absent: ['assume-sent', 'assume-sent'],
    cannotTell: 'assume-sent',
    positiveOnly: 'assume-sent',
    neither: 'assume-sent',
  },
};

function after(of: UnknownFacts, answer: LookupAnswer): string {
  const first = decideUnknown(of);
  return word(first.kind === 'ask' ? decideAfterLookup(of, first.attempt, answer) : first);
}

const STOPS: readonly { readonly why: string; readonly patch: Partial<DeliveryRecord>; readonly reason: RegExp }[] = [
  { why: 'cancelled', patch: { forbidden: 'cancelled' }, reason: /cancelled while an attempt was open/ },
  { why: 'opted out of', patch: { forbidden: 'suppressed' }, reason: /suppressed while/ },
  { why: 'expired', patch: { expiresAt: T0 + INSIDE }, reason: /expired while/ },
  { why: 'out of attempts', patch: { maxAttempts: 1 }, reason: /attempts spent \(1\)/ },
  { why: 'without content', patch: { failures: 5, maxAttempts: 5, reason: 'content threw' }, reason: /content threw/ },
  { why: 'poison', patch: { lapses: steps.POISON_LAPSES }, reason: /poison/ },
];
const given = (of: DeliveryClass): string => (CLASS_POLICIES[of].onUnknown === 'assume-sent' ? 'assume-sent' : 'park');

describe.each(DELIVERY_CLASSES)('an unknown %s delivery', (of) => {
  const row = TABLE[of];

  test(`is ${row.key[0]}, at a provider that takes a key`, () => {
    expect(word(decideUnknown(facts(of, 'key', 0)))).toBe(row.key[0]);
  });

  test(`is ${row.key[1]} 31 s later`, () => {
    expect(word(decideUnknown(facts(of, 'key', 31_000)))).toBe(row.key[1]);
  });

  test(`is ${row.key[2]} once the key window has closed, and not a moment sooner`, () => {
    expect(word(decideUnknown(facts(of, 'key', CLOSED)))).toBe(row.key[2]);
    expect(word(decideUnknown(facts(of, 'key', CLOSED - 1)))).toBe(row.key[1]);
  });

  test(`is ${row.absent[0]} where a lookup says "absent" before its settle time`, () => {
    expect(after(facts(of, 'lookup', BEFORE_SETTLE), ABSENT)).toBe(row.absent[0]);
  });

  test(`is ${row.absent[1]} where a lookup says "absent" after its settle time`, () => {
    expect(after(facts(of, 'lookup', AFTER_SETTLE), ABSENT)).toBe(row.absent[1]);
  });

  test(`is ${row.cannotTell} where the lookup cannot tell`, () => {
    expect(after(facts(of, 'lookup', INSIDE), CANNOT_TELL)).toBe(row.cannotTell);
  });

  test(`is ${row.positiveOnly} where a positive-only lookup finds nothing, however late`, () => {
    expect(after(facts(of, 'positive-only', AFTER_SETTLE), ABSENT)).toBe(row.positiveOnly);
  });

  test(`is ${row.neither} where nothing can tell`, () => {
    expect(word(decideUnknown(facts(of, 'nothing', INSIDE)))).toBe(row.neither);
  });

  test.each(STOPS)(`begins no new attempt once it is $why: ${given(of)}`, ({ patch, reason }) => {
    for (const has of ['key', 'nothing'] as const)
      expect(decideUnknown(facts(of, has, INSIDE, patch))).toMatchObject({
        kind: given(of),
        reason: expect.stringMatching(reason),
      });
  });
});

const LOOKED_UP = DELIVERY_CLASSES.filter((of) => CLASS_POLICIES[of].lookup !== 'never');

describe.each(LOOKED_UP)('an unknown %s delivery that a provider can be asked about', (of) => {
  test('is sent where a lookup finds it, authoritative or not', () => {
    for (const has of ['lookup', 'positive-only'] as const) expect(after(facts(of, has, 0), FOUND)).toBe('found 1');
  });

  test.each(STOPS)('is still looked up once it is $why, since it may be out', ({ patch }) => {
    expect(after(facts(of, 'lookup', INSIDE, patch), FOUND)).toBe('found 1');
    expect(after(facts(of, 'lookup', AFTER_SETTLE, patch), ABSENT)).toBe(ABSENT_COUNTS);
    expect(after(facts(of, 'positive-only', AFTER_SETTLE, patch), ABSENT)).toBe(given(of));
  });
});

describe('an unknown delivery', () => {
  const two = (patch: Partial<DeliveryRecord> = {}): Partial<DeliveryRecord> =>
    withAttempts(
      [attempt({ outcome: unknown }), attempt({ n: 2, markedAt: T0 + 100_000, sendDeadline: T0 + 155_000 })],
      patch,
    );
  const across = withAttempts([attempt({ outcome: unknown }), attempt({ n: 2, provider: 'p1', outcome: unknown })]);

  test('of marketing is replayed once, then assumed sent', () => {
    const { attempts, charged } = two() as DeliveryRecord;
    expect(word(decideUnknown(facts('marketing', 'key', INSIDE, { attempts, charged })))).toBe('assume-sent');
  });

  test('counts the key window from its first open attempt, not from its last', () => {
    const { attempts, charged } = two() as DeliveryRecord;
    const at = (ms: number) => word(decideUnknown(facts('transactional', 'key', ms, { attempts, charged })));
    expect(at(CLOSED - 1)).toMatch(/^replay at p0/);
    expect(at(CLOSED)).toBe('park');
  });

  test('is replayed at once for the first time, then as a retry would be', () => {
    const { attempts, charged } = two() as DeliveryRecord;
    expect(word(decideUnknown(facts('transactional', 'key', INSIDE, { attempts, charged })))).toBe(
      'replay at p0 in 15000',
    );
  });

  test('counts the key window from its first open attempt', () => {
    const { attempts, charged } = two() as DeliveryRecord;
    expect(word(decideUnknown(facts('transactional', 'key', CLOSED, { attempts, charged })))).toBe('park');
  });

  test('counts the settle time from its last attempt', () => {
    const { attempts, charged } = two() as DeliveryRecord;
    expect(after(facts('transactional', 'lookup', AFTER_SETTLE, { attempts, charged }), ABSENT)).toBe('wait 100000');
  });

  test("counts the settle time from the loss of the store's memory, if that was later", () => {
    const more = { epochChangedAt: T0 + SEND_DEADLINE_MS + 1_000 };
    expect(after(facts('transactional', 'lookup', AFTER_SETTLE, {}, more), ABSENT)).toBe('wait 1000');
  });

  test('with open attempts at two providers is replayed at neither', () => {
    const { attempts, charged } = across;
    expect(word(decideUnknown(facts('transactional', 'key', INSIDE, { attempts, charged })))).toBe('park');
  });

  test('is looked up where a provider can be asked, although another cannot', () => {
    const { attempts, charged } = across;
    const more = { capabilities: (name: string) => capabilities(name === 'p1' ? 'lookup' : 'nothing') };
    expect(word(decideUnknown(facts('transactional', 'nothing', INSIDE, { attempts, charged }, more)))).toBe(
      'ask about 2',
    );
  });

  test('is not looked up beyond the horizon', () => {
    expect(word(decideUnknown(facts('transactional', 'lookup', 86_400_000 - 1)))).toBe('ask about 1');
    expect(word(decideUnknown(facts('transactional', 'lookup', 86_400_000)))).toBe('park');
  });

  test('whose provider left the config is decided as if nothing could tell', () => {
    const more = { capabilities: () => null, order: ['p1'] };
    expect(word(decideUnknown(facts('transactional', 'key', 0, {}, more)))).toBe('park');
    expect(word(decideUnknown(facts('document', 'key', 0, {}, more)))).toBe(FAILOVER);
  });

  test('of a document with one provider is sent again there, declared as that', () => {
    expect(word(decideUnknown(facts('document', 'nothing', INSIDE, {}, { order: ['p0'] })))).toBe(RESEND);
  });

  test('fails over from where it was last tried', () => {
    const { attempts, charged } = across;
    expect(word(decideUnknown(facts('document', 'nothing', INSIDE, { attempts, charged })))).toBe(
      'declare failover at p0 in 15000',
    );
  });

  test.each(['replay', 'lookup'] as const)('is parked where a type says `%s` and that is not possible', (onUnknown) => {
    const more = { policy: { ...CLASS_POLICIES.document, onUnknown } };
    expect(word(decideUnknown(facts('document', 'nothing', INSIDE, {}, more)))).toBe('park');
  });

  test('without any open attempt waits for a person', () => {
    expect(decideUnknown(facts('document', 'key', 0, { attempts: [], reason: null }))).toEqual({
      kind: 'park',
      reason: 'no attempt tells what became of it',
    });
  });
});

describe('an attempt that is presumed after the store lost its memory', () => {
  const presumed = attempt({ provider: ANY_PROVIDER, key: '', outcome: null, presumed: true, charged: false });
  const forgotten = { attempts: [presumed], provider: 'p0' };

  test.each([
    { has: 'key', order: ['p0'], then: 'narrow to p0', because: 'it can only have been there' },
    { has: 'key', order: ['p1'], then: 'park', because: 'the config changed since the delivery was made' },
    { has: 'key', order: ['p0', 'p1'], then: 'park', because: 'no key covers both providers' },
    { has: 'lookup', order: ['p0', 'p1'], then: 'ask about 1', because: 'all providers together can tell' },
    { has: 'nothing', order: ['p0', 'p1'], then: 'park', because: 'nothing can tell' },
  ] as const)('$has at $order: $then, for $because', ({ has, order, then }) => {
    const of: UnknownFacts['capabilities'] = (name) => (name === ANY_PROVIDER ? null : capabilities(has));
    expect(word(decideUnknown(facts('transactional', has, 0, forgotten, { order, capabilities: of })))).toMatch(then);
  });
});

test.each([
  ['at first', 60_000, 'wait 30000'],
  ['after ten minutes', 600_000, 'wait 150000'],
  ['after hours', 12 * 3_600_000, 'wait 300000'],
])('a lookup that cannot answer is asked again, %s, the later the rarer', (_when, unknownForMs, decision) => {
  expect(after(facts('document', 'lookup', unknownForMs), CANNOT_TELL)).toBe(decision);
});
