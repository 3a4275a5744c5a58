import fc from 'fast-check';
import { CLASS_POLICIES, DELIVERY_STATES, isSettled } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { CLASSES_OF_END, type Tally } from '../src/result.ts';
import { count, imbalances, type Beliefs } from '../src/tally.ts';
import { broken, Story } from './support/story.ts';

const PLAIN: Beliefs = {
  declaredExtras: () => 0,
  everUnknown: () => false,
  mayAssume: () => false,
  storeForgot: () => false,
};

function tallyOf(counts: Partial<Tally>): Tally {
  return { ...(Object.fromEntries(CLASSES_OF_END.map((end) => [end, 0])) as unknown as Tally), ...counts };
}

describe('a mailbox edited by hand', () => {
  const delivered = (): Story => new Story(5).add().deliverRest();

  test('is green as long as nobody edits it', () => {
    expect(broken(delivered())).toEqual([]);
  });

  test('is red when any message is taken out', () => {
    fc.assert(
      fc.property(fc.nat(4), (taken) => {
        const story = delivered();
        const { violations, tally } = story.judge({ mailbox: story.mailbox.filter((_entry, at) => at !== taken) });
        expect(violations.map(({ invariant, recipient }) => [invariant, recipient])).toEqual([['END', `r${taken}`]]);
        expect(tally).toEqual(tallyOf({ once: 4, lost: 1 }));
      }),
    );
  });

  test('is red when any message is put in twice', () => {
    fc.assert(
      fc.property(fc.nat(4), (again) => {
        const story = delivered();
        const { violations, tally } = story.judge({ mailbox: [...story.mailbox, story.mailbox[again]!] });
        expect(violations.map(({ invariant, recipient }) => [invariant, recipient])).toEqual([['END', `r${again}`]]);
        expect(tally).toEqual(tallyOf({ once: 4, duplicated: 1 }));
      }),
    );
  });

  test('is red when a message is moved to another recipient', () => {
    const story = delivered();
    const { violations, tally } = story.judge({
      mailbox: story.mailbox.map((entry) => (entry.recipient === 3 ? { ...entry, recipient: 1 } : entry)),
    });
    expect(violations.map(({ invariant, recipient }) => [invariant, recipient])).toEqual([
      ['END', 'r1'],
      ['END', 'r3'],
    ]);
    expect(tally).toEqual(tallyOf({ once: 3, duplicated: 1, lost: 1 }));
  });

  test('is red when it holds a message to nobody', () => {
    const story = delivered();
    const { violations, tally } = story.judge({ mailbox: [...story.mailbox, { ...story.mailbox[0]!, recipient: -1 }] });
    expect(violations.map(({ invariant }) => invariant)).toEqual(['END']);
    expect(tally).toEqual(tallyOf({ once: 5, phantom: 1 }));
  });

  test('is red when it holds a message of an unsealed notification', () => {
    const story = delivered();
    const extra = { ...story.mailbox[0]!, recipient: 5 };
    const facts = {
      requested: [0, 1, 2, 3, 4, 5],
      notMade: () => 'unsealed' as const,
      mailbox: [...story.mailbox, extra],
    };
    expect(story.judge(facts).tally).toEqual(tallyOf({ once: 5, phantom: 1 }));
    expect(broken(story, facts)).toEqual(['END']);
  });
});

describe('the tally', () => {
  test('counts the generations of one recipient as one recipient, by the one that tells most', () => {
    const facts = new Story(1).facts({
      deliveries: [
        {
          id: 'd_0',
          recipient: 0,
          generation: 0,
          state: 'sent',
          assumed: false,
          reason: null,
          attempts: 1,
          charged: 1,
          createdAt: 0,
          expiresAt: null,
        },
        {
          id: 'd_0g1',
          recipient: 0,
          generation: 1,
          state: 'cancelled',
          assumed: false,
          reason: 'sent after all',
          attempts: 0,
          charged: 0,
          createdAt: 0,
          expiresAt: null,
        },
      ],
      mailbox: [{ recipient: 0, provider: 'p0', deliveryId: 'd_0', body: '', at: 0 }],
    });
    expect(count(facts, PLAIN, 1).tally).toEqual(tallyOf({ once: 1 }));
  });

  test('takes the latest generation when none was sent, whatever the order', () => {
    const deliveries = (['dead', 'failed', 'expired'] as const).map((state, generation) => {
      return {
        id: `d_0g${generation}`,
        recipient: 0,
        generation,
        state,
        assumed: false,
        reason: state,
        attempts: 0,
        charged: 0,
        createdAt: 0,
        expiresAt: null,
      };
    });
    for (const order of [deliveries, deliveries.toReversed()])
      expect(count(new Story(1).facts({ deliveries: order }), PLAIN, 1).tally).toEqual(tallyOf({ expired: 1 }));
  });

  test('calls a duplicate undeclared when the declaration came after it', () => {
    const story = new Story(1, { policyOf: () => CLASS_POLICIES.alert });
    story
      .add()
      .claim(0)
      .mark(0)
      .fault()
      .settle(0, 'not-sent')
      .claim(0)
      .mark(0)
      .arrive(0)
      .arrive(0, { attempt: 1 })
      .settle(0, 'unknown');
    story.reconcile(0, { kind: 'declare', declaration: 'resend', provider: 'p0', delayMs: 0 }, 'retry-scheduled');
    const { violations, tally } = story.claim(0).mark(0).settle(0, 'accepted').judge();
    expect(violations.map(({ invariant }) => invariant)).toEqual(['S1']);
    expect(tally).toEqual(tallyOf({ duplicated: 1 }));
  });

  test.each(DELIVERY_STATES.filter((state) => !isSettled(state)))(
    'lists whoever is still %s at the end, and counts nobody of them as recovered',
    (state) => {
      const facts = new Story(2).facts({
        deliveries: [0, 1].map((recipient) => ({
          id: `d_${recipient}`,
          recipient,
          generation: 0,
          state,
          assumed: false,
          reason: null,
          attempts: 1,
          charged: 1,
          createdAt: 0,
          expiresAt: null,
        })),
        mailbox: [{ recipient: 0, provider: 'p0', deliveryId: 'd_0', body: '', at: 0 }],
      });
      const { tally, notSent, misfits } = count(facts, { ...PLAIN, everUnknown: () => true }, 2);
      expect(tally).toEqual(tallyOf({ unsettled: 1, lost: 1 }));
      const reason = expect.stringContaining(`still ${state} at the end`) as string;
      expect(notSent).toEqual([
        { recipient: 'r0', state: 'unsettled', reason },
        { recipient: 'r1', state: 'lost', reason },
      ]);
      expect(misfits.map(({ end, unsettled }) => [end, unsettled])).toEqual([
        ['unsettled', true],
        ['lost', true],
      ]);
    },
  );

  test('lists who was not sent to, with the reason', () => {
    const story = new Story(3).add().claim(0).mark(0).settle(0, 'rejected').deliver(1);
    const { notSent } = story.ends(2, 'dead', 'attempts spent (5)').judge();
    expect(notSent).toEqual([
      { recipient: 'r0', state: 'failed', reason: 'refused for good' },
      { recipient: 'r2', state: 'dead', reason: 'attempts spent (5)' },
    ]);
  });

  test('adds up, whatever happened to whom', () => {
    const state = fc.constantFrom(
      'sent',
      'delivered',
      'parked',
      'dead',
      'failed',
      'expired',
      'cancelled',
      'suppressed',
      'unknown',
      'queued',
    );
    const recipient = fc.record({ state, messages: fc.nat(3), generation: fc.nat(2), made: fc.boolean() });
    fc.assert(
      fc.property(fc.array(recipient), (recipients) => {
        const facts = new Story(recipients.length).facts({
          requested: [...recipients.keys()],
          deliveries: recipients.flatMap(({ state: its, generation, made }, at) =>
            made
              ? [
                  {
                    id: `d_${at}`,
                    recipient: at,
                    generation,
                    state: its,
                    assumed: false,
                    reason: 'r',
                    attempts: 1,
                    charged: 1,
                    createdAt: 0,
                    expiresAt: null,
                  },
                ]
              : [],
          ),
          mailbox: recipients.flatMap(({ messages }, at) =>
            Array.from({ length: messages }, () => ({
              recipient: at,
              provider: 'p0',
              deliveryId: `d_${at}`,
              body: '',
              at: 0,
            })),
          ),
        });
        const { requested, tally, misfits } = count(facts, PLAIN, recipients.length);
        expect(requested).toBe(recipients.length);
        expect(imbalances(tally, { requested, outside: 0, input: null })).toEqual([]);
        expect(misfits.filter((misfit) => misfit.end === 'lost')).toHaveLength(tally.lost);
        expect(tally.duplicated).toBe(recipients.filter(({ messages }) => messages > 1).length);
      }),
    );
  });
});

describe('the sums', () => {
  const SUMS: readonly [about: string, counts: Partial<Tally>, requested: number, rows: number, isRight: boolean][] = [
    ['balance', { once: 7, parked: 1, phantom: 3 }, 8, 12, true],
    ['miss a recipient', { once: 7 }, 8, 12, false],
    ['count one twice', { once: 9 }, 8, 12, false],
    ['miss a row of input', { once: 8 }, 8, 13, false],
  ];

  test.each(SUMS)('%s', (_about, counts, requested, rows, isRight) => {
    const wrong = imbalances(tallyOf(counts), { requested, outside: 1, input: { rows, merged: 2, invalid: 1 } });
    expect(wrong.length === 0).toBe(isRight);
  });
});
