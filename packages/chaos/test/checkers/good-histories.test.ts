import { CLASS_POLICIES } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import type { Tally } from '../../src/result.ts';
import {
  BOUND_MS,
  DEFERRED,
  DISPATCH_MS,
  KEY_WINDOW_MS,
  LEASE_MS,
  LOOKUP,
  NOTIFICATION,
  putOff,
  SETTLE_MS,
  Story,
  unknown,
  ways,
  type FactChanges,
} from '../support/story.ts';

const { alert: ALERT, document: DOCUMENT, marketing: MARKETING } = CLASS_POLICIES;

const ANY = { policyOf: () => ALERT };
const AGAIN = { kind: 'retry', provider: 'l0', delayMs: 0, reason: 'absent' } as const;
const KILL = { kind: 'process', what: 'kill', why: null } as const;
const CLAIM_REPLY = { do: 'partition-all', op: 'ledger.claim' } as const;
const HOUR_MS = 3_600_000;
const CANCELLED = { kind: 'cancelled', tooLate: [] } as const;
const OPT_OUT = {
  tenant: 'default',
  recipientId: 'person-1',
  topic: '*',
  channel: '*',
  suppressed: true,
  by: 'person-1',
  why: 'no more',
} as const;

/** The first delivery lives so long. */
function expiring(story: Story, ms: number): Story {
  story.add();
  const told = story.delivery(0);
  told.createdAt = story.at;
  told.expiresAt = story.at + ms;
  return story;
}

/** Claims that nobody hears of. */
function lapsing(story: Story, times = 4): Story {
  for (let i = 0; i < times; i += 1) story.wait(LEASE_MS).claim(0);
  return story.wait(LEASE_MS);
}

/** The claim that finds one lapse too many. */
function poisoned(story: Story): Story {
  return story.asked(0, { kind: 'settled', state: 'dead' }).ends(0, 'dead', 'poison');
}

function parked(story: Story): Story {
  return story.reconcile(0, { kind: 'park', reason: 'nothing can tell' }, 'parked');
}

function resent(story: Story): Story {
  return story
    .settle(0, 'unknown')
    .reconcile(0, { kind: 'declare', declaration: 'resend', provider: 'p0', delayMs: 0 }, 'retry-scheduled')
    .deliver(0);
}

interface Good {
  readonly name: string;
  readonly tell: () => Story;
  readonly facts?: FactChanges;
  readonly tally: Partial<Tally>;
}

const GOOD: readonly Good[] = [
  { name: 'everyone gets one message', tell: () => new Story(3).add().deliverRest(), tally: { once: 3 } },
  {
    name: 'a wake is acked after the outcome is written',
    tell: () => {
      const story = new Story(1).add();
      const receipt = story.receive(0);
      return story.deliver(0).queue('ack', 'd_0', receipt);
    },
    tally: { once: 1 },
  },
  {
    name: 'the wake of a notification is acked by whoever expands it, and when it is over',
    tell: () => {
      const claim = (verdict: object) =>
        ({ kind: 'claim-notification', owner: 'w1', verdict: { id: NOTIFICATION, ...verdict } }) as const;
      const story = new Story(1)
        .queue('receive', NOTIFICATION, 'a')
        .event(claim({ kind: 'granted' }))
        .queue('ack', NOTIFICATION, 'a')
        .add();
      return story
        .deliver(0)
        .queue('receive', NOTIFICATION, 'b')
        .event(claim({ kind: 'settled', state: 'done' }))
        .queue('ack', NOTIFICATION, 'b');
    },
    tally: { once: 1 },
  },
  {
    name: 'a wake that came again is acked when the record is settled, and one that came early when it waits',
    tell: () => {
      const story = new Story(1).add();
      const early = story.receive(0);
      story.asked(0, { kind: 'later', dueInMs: 500 }).queue('ack', 'd_0', early).deliver(0);
      const again = story.receive(0);
      return story
        .asked(0, { kind: 'settled', state: 'sent' }, 'w2')
        .queue('ack', 'd_0', again)
        .queue('ack', 'd_0', again);
    },
    tally: { once: 1 },
  },
  {
    name: 'a deferred message is sent again and refunded',
    tell: () =>
      new Story(1)
        .add()
        .claim(0)
        .mark(0)
        .arrive(0, { outcome: 'refused', refusal: DEFERRED })
        .settle(0, 'deferred')
        .wait(30_000)
        .deliver(0),
    tally: { once: 1 },
  },
  {
    name: 'a lost reply is asked for again with the same key',
    tell: () =>
      new Story(1)
        .add()
        .claim(0)
        .mark(0, { provider: 'k0' })
        .arrive(0, { provider: 'k0' })
        .fault()
        .settle(0, 'unknown')
        .reconcile(0, { kind: 'replay', provider: 'k0', delayMs: 0 }, 'retry-scheduled')
        .claim(0, { by: 'w2' })
        .mark(0, { provider: 'k0', by: 'w2' })
        .arrive(0, { provider: 'k0', by: 'w2', outcome: 'same' })
        .settle(0, 'accepted', { by: 'w2' }),
    tally: { recovered: 1 },
  },
  {
    name: 'a killed worker leaves its sent message to a lookup',
    tell: () =>
      new Story(1)
        .add()
        .claim(0)
        .mark(0)
        .arrive(0)
        .event({ kind: 'process', what: 'kill', why: null })
        .wait(60_000)
        .sweep(0)
        .reconcile(0, { kind: 'found', attempt: 1, providerMessageId: 'm' }, 'sent'),
    tally: { recovered: 1 },
  },
  {
    name: 'a strict message whose fate nobody can tell is parked after a fault',
    tell: () =>
      new Story(1)
        .add()
        .claim(0)
        .mark(0)
        .arrive(0)
        .fault()
        .settle(0, 'unknown')
        .reconcile(0, { kind: 'park', reason: 'nothing can tell' }, 'parked'),
    tally: { parked: 1 },
  },
  {
    name: 'a declared failover may make two messages',
    tell: () =>
      new Story(1, { policyOf: () => DOCUMENT })
        .add()
        .claim(0)
        .mark(0)
        .arrive(0)
        .fault()
        .settle(0, 'unknown')
        .reconcile(0, { kind: 'declare', declaration: 'failover', provider: 'k0', delayMs: 0 }, 'retry-scheduled')
        .claim(0)
        .mark(0, { provider: 'k0' })
        .arrive(0, { provider: 'k0' })
        .settle(0, 'accepted'),
    tally: { resent: 1 },
  },
  {
    name: 'a declared resend may come after the key window',
    tell: () =>
      unknown(new Story(1, { policyOf: () => ALERT }), 'k0')
        .idle(KEY_WINDOW_MS + 1)
        .reconcile(0, { kind: 'declare', declaration: 'resend', provider: 'k0', delayMs: 0 }, 'retry-scheduled')
        .claim(0)
        .mark(0, { provider: 'k0' })
        .arrive(0, { provider: 'k0' })
        .settle(0, 'accepted'),
    facts: { liveness: { boundMs: 2 * KEY_WINDOW_MS } },
    tally: { recovered: 1 },
  },
  {
    name: 'an undecided marketing message is assumed to be sent',
    tell: () =>
      new Story(1, { policyOf: () => MARKETING })
        .add()
        .claim(0)
        .mark(0)
        .fault({ phase: 'B' })
        .settle(0, 'unknown')
        .reconcile(0, { kind: 'assume-sent', reason: 'the class says so' }, 'sent'),
    tally: { assumed: 1 },
  },
  {
    name: 'a parked message is replayed by an operator, and both arrive',
    tell: () => {
      const story = new Story(1).add().claim(0).mark(0).arrive(0).fault().settle(0, 'unknown');
      story.reconcile(0, { kind: 'park', reason: 'nothing can tell' }, 'parked').replay(0, { possibleDuplicate: true });
      return story.deliver('d_0g1');
    },
    tally: { resent: 1 },
  },
  {
    name: 'a dead letter is replayed and arrives once',
    tell: () =>
      new Story(1)
        .add()
        .claim(0)
        .mark(0)
        .arrive(0, { outcome: 'refused' })
        .settle(0, 'rejected')
        .replay(0)
        .deliver('d_0g1'),
    tally: { once: 1 },
  },
  {
    name: 'a cancel that came too late lets the open attempt arrive',
    tell: () => {
      const story = new Story(2)
        .add()
        .claim(0)
        .mark(0)
        .cancel(NOTIFICATION, { kind: 'cancelled', tooLate: ['d_0'] });
      story
        .arrive(0)
        .settle(0, 'accepted')
        .claim(1)
        .mark(1, { refused: { kind: 'cancelled', state: 'cancelled' } });
      return story.ends(1, 'cancelled');
    },
    tally: { once: 1, cancelled: 1 },
  },
  {
    name: 'a store that lost its memory parks what may have been sent, and forgets the cancel',
    tell: () => {
      const story = new Story(2).add().deliver(1).claim(0).mark(0).arrive(0);
      story
        .cancel('d_0', { kind: 'too-late', state: 'dispatching' })
        .event({ kind: 'epoch', lost: 1_000, evicted: [] });
      story.delivery(0).attempts = 0;
      return story.wait(90_000).sweep(0).reconcile(0, { kind: 'park', reason: 'the store lost its memory' }, 'parked');
    },
    tally: { once: 1, parked: 1 },
  },
  {
    name: 'a store that lost its memory gives a number again, and the first request with it is still on its way',
    tell: () =>
      new Story(1, ANY)
        .add()
        .claim(0)
        .mark(0)
        .event({ kind: 'epoch', lost: 1_000, evicted: [] })
        .wait(90_000)
        .sweep(0)
        .reconcile(0, { kind: 'declare', declaration: 'resend', provider: 'p0', delayMs: 0 }, 'retry-scheduled')
        .claim(0, { by: 'w2' })
        .mark(0, { by: 'w2', attempt: 1 })
        .arrive(0, { attempt: 1 })
        .arrive(0, { by: 'w2', attempt: 1 })
        .settle(0, 'accepted', { attempt: 1 }),
    tally: { resent: 1 },
  },
  {
    name: 'a lookup says that nothing came, once it shows all that did',
    tell: () =>
      unknown(new Story(1, LOOKUP), 'l0')
        .asks(0)
        .reconcile(0, { kind: 'wait', delayMs: 115_000 }, 'unknown')
        .idle(DISPATCH_MS + SETTLE_MS)
        .asks(0)
        .reconcile(0, { kind: 'absent', provider: 'l0', next: AGAIN }, 'retry-scheduled')
        .deliver(0, { provider: 'l0' }),
    tally: { recovered: 1 },
  },
  {
    name: 'a one-time code is asked about once, and repeated',
    tell: () =>
      unknown(new Story(1, { ...LOOKUP, policyOf: () => CLASS_POLICIES.security }), 'l0')
        .asks(0)
        .reconcile(0, { kind: 'declare', declaration: 'resend', provider: 'l0', delayMs: 0 }, 'retry-scheduled')
        .deliver(0, { provider: 'l0' }),
    tally: { recovered: 1 },
  },
  {
    name: 'what has a key is parked when nobody remembers it any more',
    tell: () =>
      unknown(new Story(1), 'k0')
        .idle(KEY_WINDOW_MS)
        .reconcile(0, { kind: 'park', reason: 'the key window closed' }, 'parked'),
    facts: { liveness: { boundMs: 2 * KEY_WINDOW_MS } },
    tally: { parked: 1 },
  },
  {
    name: 'a worker that lost its lease writes its outcome as evidence',
    tell: () =>
      new Story(1, { policyOf: () => ALERT })
        .add()
        .claim(0)
        .mark(0)
        .arrive(0)
        .fault({ do: 'delay', phase: 'D', ms: 120_000 })
        .wait(90_000)
        .sweep(0)
        .reconcile(0, { kind: 'declare', declaration: 'resend', provider: 'p0', delayMs: 0 }, 'retry-scheduled')
        .claim(0, { by: 'w2' })
        .settle(0, 'accepted', { fence: 101, attempt: 1, as: 'evidence', state: 'sent' })
        .mark(0, { by: 'w2', refused: { kind: 'settled', state: 'sent' } }),
    tally: { recovered: 1 },
  },
  {
    name: 'notifications cancelled, failed or never sealed account for recipients without a delivery',
    tell: () => {
      const story = new Story(4);
      return story.add({ deliveries: story.targets([0]) }).deliver(0);
    },
    facts: {
      notMade: (recipient) => (['missing', 'cancelled', 'failed', 'unsealed'] as const)[recipient]!,
      failedNotifications: [{ notificationId: 'n_3', reason: 'route threw' }],
      unsealed: [{ notificationId: 'n_4', targets: 1 }],
      deadLetters: new Set(['n_3']),
      input: { rows: 6, merged: 1, invalid: 1 },
    },
    tally: { once: 1, cancelled: 1, failed: 1 },
  },
  {
    name: 'people cancel and opt out, and what was not sent yet is not sent',
    tell: () => {
      const story = new Story(3).add().cancel('d_0', CANCELLED).ends(0, 'cancelled').ends(1, 'suppressed');
      return story.event({ kind: 'suppress', request: OPT_OUT, tooLate: [] }, 'operator').deliver(2);
    },
    tally: { cancelled: 1, suppressed: 1, once: 1 },
  },
  {
    name: 'a whole notification is cancelled by a person',
    tell: () => new Story(2).add().deliver(1).cancel(NOTIFICATION, CANCELLED).ends(0, 'cancelled'),
    tally: { cancelled: 1, once: 1 },
  },
  {
    name: 'an outage lasts until the attempts are spent',
    tell: () => {
      const story = new Story(1).fault({ do: 'outage', phase: 'E', ms: 600_000 }).add();
      for (let tries = 0; tries < 4; tries += 1) story.claim(0).mark(0).settle(0, 'not-sent').wait(60_000);
      return story.claim(0).mark(0).settle(0, 'not-sent', { state: 'dead' }).ends(0, 'dead');
    },
    tally: { dead: 1 },
  },
  {
    name: 'the replies to its claims are lost until it counts as poison',
    tell: () =>
      poisoned(
        lapsing(
          new Story(1)
            .add()
            .claim(0)
            .fault({ ...CLAIM_REPLY, ms: 5 * LEASE_MS }),
        ),
      ),
    tally: { dead: 1 },
  },
  {
    name: 'they are lost until it counts as poison, which is found only when all is well again',
    tell: () => {
      const fault = { ...CLAIM_REPLY, ms: 4 * LEASE_MS };
      return poisoned(lapsing(new Story(1).add().claim(0).fault(fault)).healed(fault).wait(60_000));
    },
    tally: { dead: 1 },
  },
  {
    name: 'a fault strikes in the middle of the claims that lapse',
    tell: () => {
      const story = lapsing(new Story(1).add(), 3).event(KILL);
      return poisoned(lapsing(story, 2));
    },
    tally: { dead: 1 },
  },
  {
    name: 'a slow provider answers after its sender gave up, and the resend is declared',
    tell: () => resent(new Story(1, { ...ways(2, 5_000), ...ANY }).add().claim(0).mark(0).arrive(0).wait(10_000)),
    tally: { resent: 1 },
  },
  {
    name: 'a slow provider answers after the send deadline, and the sweeper is there first',
    tell: () => {
      const story = new Story(1, { ...ways(2, 30_000), ...ANY }).add().claim(0).mark(0, { provider: 'k0' });
      return story
        .arrive(0, { provider: 'k0' })
        .wait(60_000)
        .sweep(0)
        .reconcile(0, { kind: 'replay', provider: 'k0', delayMs: 0 }, 'retry-scheduled')
        .claim(0)
        .mark(0, { provider: 'k0' })
        .arrive(0, { provider: 'k0', outcome: 'same' })
        .settle(0, 'accepted');
    },
    tally: { recovered: 1 },
  },
  {
    name: 'nobody is allowed to send again what a slow provider took',
    tell: () => parked(new Story(1, ways(2, 5_000)).add().claim(0).mark(0).arrive(0).wait(10_000).settle(0, 'unknown')),
    tally: { parked: 1 },
  },
  {
    name: 'it is marked so short before it expires that no answer comes in time',
    tell: () => {
      const story = new Story(1).add().claim(0).mark(0, { sendWithinMs: 20 }).arrive(0).wait(20);
      return parked(story.settle(0, 'unknown'));
    },
    tally: { parked: 1 },
  },
  {
    name: 'the answer to a mark is on its way until the send deadline is over',
    tell: () => {
      const story = new Story(1, ways(30_000, 24)).add().claim(0).mark(0).wait(59_000).settle(0, 'not-sent');
      return story.deliver(0);
    },
    tally: { once: 1 },
  },
  {
    name: 'a clock jumps ahead while the mark is on its way over a slow ledger',
    tell: () => {
      const jump = { do: 'step-over-lease', op: 'ledger.mark', phase: 'B', amount: 83_813 } as const;
      const story = new Story(1, ways(5_000, 24)).add().claim(0).fault(jump);
      return story.wait(4_900).mark(0).settle(0, 'not-sent').deliver(0);
    },
    tally: { once: 1 },
  },
  {
    name: 'an outage lasts until it has expired',
    tell: () => expiring(new Story(1).fault({ do: 'outage', phase: 'E', ms: HOUR_MS }), HOUR_MS).ends(0, 'expired'),
    tally: { expired: 1 },
  },
  {
    name: 'there is more to do than fits, so that the last one expires',
    tell: () => {
      const story = expiring(new Story(60), 600_000);
      for (let nth = 1; nth < 60; nth += 1) story.wait(10_000).deliver(nth);
      return story.ends(0, 'expired');
    },
    tally: { once: 59, expired: 1 },
  },
  {
    name: 'a message lives so short that nobody can be blamed',
    tell: () => expiring(new Story(1), 30_000).ends(0, 'expired'),
    tally: { expired: 1 },
  },
  {
    name: 'the user’s own template is broken',
    tell: () => {
      const contentOf = () => {
        throw new Error('template is broken');
      };
      return new Story(1, { contentOf }).add().claim(0).ends(0, 'failed', 'content threw');
    },
    tally: { failed: 1 },
  },
  {
    name: 'an address cannot work',
    tell: () => {
      const target = { channel: 'email', to: 'nobody', recipientId: 'nobody', destinationId: '', data: {} } as const;
      const story = new Story(1, { targetOf: () => target });
      const deliveries = [{ ...story.targets()[0]!, target, failed: 'no @' }];
      return story.add({ deliveries }).ends(0, 'failed', 'no @');
    },
    tally: { failed: 1 },
  },
  {
    name: 'content differs from call to call, which is for the trace to say',
    tell: () => {
      let calls = 0;
      const contentOf = () => ({ text: `visitor number ${(calls += 1)}` });
      return new Story(1, { isOpen: true, contentOf }).add().deliver(0);
    },
    tally: { once: 1 },
  },
  {
    name: 'content is made later than its message can be compared',
    tell: () =>
      new Story(1, { isOpen: true, contentOf: (_n, _t, { deliveryId }) => Promise.resolve({ text: deliveryId }) })
        .add()
        .deliver(0),
    tally: { once: 1 },
  },
  {
    name: 'it is put off beside as many as there are slots, whose content takes its time',
    tell: () => putOff(10, 30_000),
    tally: { once: 11 },
  },
  {
    name: 'its worker takes itself to hold more, and some of that is somebody else’s by now',
    tell: () => {
      const story = new Story(12).add();
      for (let n = 0; n < 12; n += 1) story.claim(n, { by: 'w1' });
      const request = { id: 'd_11', fence: story.delivery(11).fence, delayMs: 30_000, failure: null };
      story.wait(LEASE_MS);
      for (let n = 0; n < 5; n += 1) story.claim(n, { by: 'w2' });
      story.event({ kind: 'release', request, verdict: { kind: 'ok' } });
      for (let n = 0; n < 11; n += 1) story.mark(n).arrive(n).settle(n, 'accepted');
      return story.deliver(11);
    },
    tally: { once: 12 },
  },
  {
    name: 'the dead are replayed automatically',
    tell: () => {
      const story = new Story(1).event({ kind: 'process', what: 'start', why: null }).add().claim(0).mark(0).fault();
      story.settle(0, 'not-sent', { state: 'dead' }).ends(0, 'dead');
      return story.replay(0, { automatic: true }).deliver('d_0g1');
    },
    tally: { once: 1 },
  },
  {
    name: 'a bounced message was a message',
    tell: () => new Story(1).add().deliver(0).asked(0, { kind: 'settled', state: 'bounced' }).ends(0, 'bounced'),
    facts: { liveness: { endedAt: BOUND_MS * 2 } },
    tally: { once: 1 },
  },
];

describe('the judge', () => {
  test.each(GOOD)('finds nothing wrong when $name', ({ tell, facts, tally }) => {
    const { violations, tally: counted } = tell().judge(facts);
    expect(violations).toEqual([]);
    expect(counted).toEqual({ ...NONE, ...tally });
  });
});

const NONE: Tally = {
  once: 0,
  recovered: 0,
  resent: 0,
  assumed: 0,
  parked: 0,
  failed: 0,
  dead: 0,
  expired: 0,
  suppressed: 0,
  cancelled: 0,
  unsettled: 0,
  duplicated: 0,
  lost: 0,
  phantom: 0,
};
