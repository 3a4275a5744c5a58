import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/index.ts';
import { acceptedCount, isOpen, openAttempts, providerMessageId, provenState } from '../../src/internal.ts';
import { arrive, learn, withAttempt } from '../../src/model/attempts.ts';
import { attempt, delivery, withAttempts } from '../support/record.ts';
import { accepted, deferred, notSent, rejected, unknown } from '../support/story.ts';

describe('an attempt', () => {
  test.each([
    { outcome: null, open: true },
    { outcome: unknown, open: true },
    { outcome: accepted(), open: false },
    { outcome: rejected(), open: false },
    { outcome: deferred, open: false },
    { outcome: notSent, open: false },
  ])('with outcome $outcome.kind is open: $open', ({ outcome, open }) => {
    expect(isOpen(attempt({ outcome }))).toBe(open);
  });

  const LEARNT: readonly { readonly known: Outcome | null; readonly heard: Outcome; readonly stands: Outcome }[] = [
    { known: null, heard: unknown, stands: unknown },
    { known: null, heard: notSent, stands: notSent },
    { known: unknown, heard: notSent, stands: notSent },
    { known: unknown, heard: { kind: 'unknown', reason: 'later' }, stands: unknown },
    { known: notSent, heard: accepted(), stands: accepted() },
    { known: notSent, heard: rejected(), stands: notSent },
    { known: rejected(), heard: unknown, stands: rejected() },
    { known: accepted('m-1'), heard: accepted('m-2'), stands: accepted('m-1') },
    { known: accepted('m-1'), heard: notSent, stands: accepted('m-1') },
  ];
  test.each(LEARNT)('that knows $known.kind and hears $heard.kind', ({ known, heard, stands }) => {
    expect(learn(attempt({ outcome: known }), heard).outcome).toEqual(stands);
  });

  test('is refunded by the outcome that says so, and by no later one', () => {
    const refunded = learn(attempt(), deferred, true);
    expect(refunded.charged).toBe(false);
    expect(learn(refunded, deferred, false).charged).toBe(false);
    expect(learn(attempt({ outcome: notSent }), deferred, true).charged).toBe(true);
  });

  test('that arrives was accepted', () => {
    expect(arrive(attempt(), 'bounced', 'm-1')).toMatchObject({ outcome: accepted('m-1'), arrival: 'bounced' });
    expect(arrive(attempt({ outcome: accepted('m-0') }), 'delivered', 'm-1').outcome).toEqual(accepted('m-0'));
  });
});

describe('a record', () => {
  test('counts what is charged whenever an attempt is written', () => {
    const record = withAttempts([attempt(), attempt({ n: 2, charged: false })]);
    expect(withAttempt(record, attempt({ n: 3 })).charged).toBe(2);
    expect(withAttempt(record, attempt({ n: 1, charged: false })).charged).toBe(0);
  });

  test.each([
    { attempts: [], state: null },
    { attempts: [attempt({ outcome: unknown })], state: null },
    { attempts: [attempt({ outcome: accepted() })], state: 'sent' },
    { attempts: [attempt({ outcome: accepted(), arrival: 'bounced' as const })], state: 'bounced' },
    {
      attempts: [attempt({ outcome: accepted(), arrival: 'bounced' as const }), attempt({ n: 2, outcome: accepted() })],
      state: 'sent',
    },
    {
      attempts: [
        attempt({ outcome: accepted() }),
        attempt({ n: 2, outcome: accepted(), arrival: 'delivered' as const }),
      ],
      state: 'delivered',
    },
  ])('shows the best of its accepted attempts: $state', ({ attempts, state }) => {
    expect(provenState(withAttempts(attempts))).toBe(state);
  });

  test('names its open attempts, its acceptances and the first accepted message', () => {
    const record = withAttempts([
      attempt({ outcome: unknown }),
      attempt({ n: 2, outcome: accepted('m-2') }),
      attempt({ n: 3, outcome: accepted('m-3') }),
    ]);
    expect(openAttempts(record).map(({ n }) => n)).toEqual([1]);
    expect(acceptedCount(record)).toBe(2);
    expect(providerMessageId(record)).toBe('m-2');
    expect(providerMessageId(delivery())).toBeNull();
    expect(openAttempts(delivery())).toEqual([]);
  });
});
