import { describe, expect, test } from 'vitest';
import { OUTCOME_KINDS, type Outcome } from '../../src/index.ts';
import { outcomeOf } from '../../src/stages/outcome-of.ts';
import { ODD_VALUES } from '../support/odd.ts';

const SOUND: readonly Outcome[] = [
  { kind: 'accepted', providerMessageId: 'm-1' },
  { kind: 'rejected', scope: 'message', reason: 'bad' },
  { kind: 'rejected', scope: 'destination', reason: 'bad', code: '550' },
  { kind: 'rejected', scope: 'destination', reason: 'gone', goneAt: 1_700_000_000_000 },
  { kind: 'rejected', scope: 'destination', reason: 'full', goneAt: null },
  { kind: 'rejected', scope: 'provider', reason: 'bad' },
  { kind: 'deferred', reason: '429' },
  { kind: 'deferred', reason: '429', retryAfterMs: 0 },
  { kind: 'deferred', reason: '429', retryAfterMs: 86_400_000 },
  { kind: 'not-sent', reason: 'refused' },
  { kind: 'unknown', reason: 'timeout' },
];

describe('an outcome', () => {
  test.each(SOUND)('that is one stays as it is: %o', (outcome) => {
    expect(outcomeOf(outcome)).toEqual(outcome);
  });

  test('loses what does not belong to it', () => {
    const answer = { kind: 'accepted', providerMessageId: 'm-1', raw: { big: 1n }, response: circular() };
    expect(outcomeOf(answer)).toEqual({ kind: 'accepted', providerMessageId: 'm-1' });
  });

  test('is read once, however its getters change', () => {
    let reads = 0;
    const answer = {
      get kind() {
        return (reads += 1) === 1 ? 'not-sent' : 'accepted';
      },
      reason: 'refused',
    };
    expect(outcomeOf(answer)).toEqual({ kind: 'not-sent', reason: 'refused' });
  });
});

describe('an answer that is no outcome', () => {
  test.each(ODD_VALUES)('is unknown: $what', ({ make }) => {
    const { kind, ...said } = outcomeOf(make());
    expect(kind).toBe('unknown');
    expect(said).toMatchObject({ reason: expect.stringMatching(/^the provider's adapter answered /) });
  });

  test.each<[answer: unknown, reason: string]>([
    [undefined, "the provider's adapter answered undefined, which is no outcome"],
    ['250 OK', "the provider's adapter answered 250 OK, which is no outcome"],
    [{ kind: 'sent' }, "the provider's adapter answered kind 'sent', which is no outcome"],
    [{ status: 202 }, "the provider's adapter answered kind undefined, which is no outcome"],
    [
      { kind: 'rejected', reason: 'x' },
      "the provider's adapter answered rejected with scope undefined, which is no scope",
    ],
    [
      { kind: 'rejected', scope: 'everything', reason: 'x' },
      "the provider's adapter answered rejected with scope 'everything', which is no scope",
    ],
  ])('is unknown, and says what came: %o', (answer, reason) => {
    expect(outcomeOf(answer)).toEqual({ kind: 'unknown', reason });
  });

  test.each<[id: unknown, came: string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    ['', "'an empty text'"],
    ['  ', "'  '"],
    [42, '42'],
    [{ id: 'm-1' }, 'an object with id'],
    ['x'.repeat(1_001), '1001 characters'],
    ['m\u00001', "'m 1'"],
    ['m\ud800', "'m '"],
  ])('is unknown for a missing id: accepted with %o', (providerMessageId, came) => {
    expect(outcomeOf({ kind: 'accepted', providerMessageId })).toEqual({
      kind: 'unknown',
      reason: `missing-id: accepted, and the message id was ${came}`,
    });
  });
});

test.each([-1, 1.5, NaN, '7', undefined, {}])(
  'a time since when a destination is gone that is none is left out: %o',
  (goneAt) => {
    const outcome = outcomeOf({ kind: 'rejected', scope: 'destination', reason: 'gone', goneAt });
    expect(outcome).toEqual({ kind: 'rejected', scope: 'destination', reason: 'gone' });
  },
);

describe('a wait that is none', () => {
  test.each([NaN, -1, Infinity, -Infinity, '5', 1e300, {}, 5n, true])(
    'is left out, and the reason says so: %o',
    (wait) => {
      const outcome = outcomeOf({ kind: 'deferred', reason: '429', retryAfterMs: wait });
      expect(outcome).toEqual({
        kind: 'deferred',
        reason: expect.stringMatching(/^429 \(its retryAfterMs, .+, is no wait\)$/),
      });
    },
  );

  test('but null, which says that there is none, is let through', () => {
    expect(outcomeOf({ kind: 'deferred', reason: '429', retryAfterMs: null })).toEqual({
      kind: 'deferred',
      reason: '429',
    });
  });

  test('is whole milliseconds', () => {
    expect(outcomeOf({ kind: 'deferred', reason: '429', retryAfterMs: 1.2 })).toMatchObject({ retryAfterMs: 2 });
  });
});

describe.each(['rejected', 'deferred', 'not-sent', 'unknown'] as const)('the reason of %s', (kind) => {
  test.each(ODD_VALUES)('may be anything, and its kind stands: $what', ({ make }) => {
    const outcome = outcomeOf({ kind, scope: 'message', reason: make() });
    expect(outcome.kind).toBe(kind);
    const { reason } = outcome as Exclude<Outcome, { kind: 'accepted' }>;
    expect(typeof reason).toBe('string');
    expect(reason.length).toBeGreaterThan(0);
    expect(reason.length).toBeLessThanOrEqual(300);
    expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
  });
});

test('every field of every kind may be odd', () => {
  for (const kind of OUTCOME_KINDS)
    for (const field of ['reason', 'scope', 'code', 'retryAfterMs', 'goneAt', 'providerMessageId'])
      for (const { make, what } of ODD_VALUES) {
        const outcome = outcomeOf({ kind, scope: 'message', reason: 'x', providerMessageId: 'm', [field]: make() });
        expect(OUTCOME_KINDS, `${kind}.${field}: ${what}`).toContain(outcome.kind);
        expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
      }
});

function circular(): unknown {
  const self: Record<string, unknown> = {};
  self['self'] = self;
  return self;
}
