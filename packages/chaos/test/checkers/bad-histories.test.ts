import { CLASS_POLICIES, type Attempt, type Outcome, type SettleRequest } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { INVARIANTS } from '../../src/checkers/index.ts';
import {
  BOUND_MS,
  broken,
  DEFERRED,
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

interface Bad {
  /** Reads after "catches". */
  readonly name: string;
  readonly by: string;
  readonly tell: () => Story;
  readonly facts?: FactChanges;
  /** What still sees it with the checker gone: the mailbox does not depend on any. */
  readonly net?: readonly string[];
}

const ALERT = { policyOf: () => CLASS_POLICIES.alert };
const DOCUMENT = { policyOf: () => CLASS_POLICIES.document };
const UNAUTHORISED = { kind: 'rejected', scope: 'provider', reason: '401' } as const;
const FOUND = { kind: 'found', attempt: 1, providerMessageId: 'm' } as const;
const SECURITY = { ...LOOKUP, policyOf: () => CLASS_POLICIES.security };
const RESEND = { kind: 'declare', declaration: 'resend', provider: 'l0', delayMs: 0 } as const;
const ABSENT = {
  kind: 'absent',
  provider: 'l0',
  next: { kind: 'retry', provider: 'l0', delayMs: 0, reason: 'absent' },
} as const;
const PARK = { kind: 'park', reason: 'nothing can tell' } as const;

const BROKEN_TEMPLATE = {
  contentOf: () => {
    throw new Error('template is broken');
  },
};
const CANCELLED = { kind: 'cancelled', tooLate: [] } as const;
const START = { kind: 'process', what: 'start', why: null } as const;
const KILL = { kind: 'process', what: 'kill', why: null } as const;
const OPT_OUT = {
  tenant: 'default',
  recipientId: 'person-0',
  topic: '*',
  channel: '*',
  suppressed: true,
  by: 'r',
  why: 'no more',
} as const;

/** Refused by the provider for good. */
function refused(story: Story): Story {
  return story.add().claim(0).mark(0).arrive(0, { outcome: 'refused' }).settle(0, 'rejected');
}

/** Claimed again and again, until the store calls it poison. */
function poisoned(story: Story, leaseMs = LEASE_MS): Story {
  for (let i = 0; i < 5; i += 1) story.claim(0, { leaseMs }).wait(leaseMs);
  return story.asked(0, { kind: 'settled', state: 'dead' }).ends(0, 'dead', 'poison');
}

const tryAgain = (provider: string, delayMs: number): SettleRequest['next'] => ({
  kind: 'retry',
  provider,
  delayMs,
  reason: 'r',
});

/** Refused by the provider as the outcome says, and then what is given as next. */
function followed(refusal: Outcome, next: SettleRequest['next']): Story {
  const story = new Story(1).add().claim(0).mark(0).arrive(0, { outcome: 'refused', refusal });
  const state = next.kind === 'failed' ? 'failed' : 'retry-scheduled';
  story.settle(0, refusal.kind, { outcome: refusal, next, state });
  return state === 'failed' ? story.ends(0, 'failed') : story.deliver(0);
}

/** In an outage each attempt ends as not sent, and waits for so long before the next. */
function outage(...waitsMs: readonly number[]): Story {
  const story = new Story(1).add();
  waitsMs.forEach((delayMs, at) => {
    const provider = ['p0', 'k0', 'k1'][at % 3] ?? '';
    story.claim(0).mark(0, { provider }).fault();
    const next = tryAgain(['k0', 'k1', 'p0'][at % 3] ?? '', delayMs);
    story.settle(0, 'not-sent', { next }).wait(delayMs);
  });
  return story.deliver(0);
}

/** A day in which nobody sends it. */
function expiring(story: Story): Story {
  story.add();
  story.delivery(0).expiresAt = story.at + 86_400_000;
  return story;
}

const BAD: readonly Bad[] = [
  {
    name: 'a duplicate',
    by: 'S1',
    tell: () =>
      new Story(2).add().claim(0).mark(0).fault().settle(0, 'not-sent').deliver(0).arrive(0, { attempt: 1 }).deliver(1),
    net: ['END'],
  },
  {
    name: 'a second message by a generation that was not declared to make one',
    by: 'S1',
    tell: () =>
      new Story(1)
        .add()
        .claim(0)
        .mark(0)
        .fault()
        .settle(0, 'not-sent', { state: 'dead' })
        .ends(0, 'dead')
        .replay(0)
        .arrive(0)
        .deliver('d_0g1'),
    net: ['END'],
  },
  {
    name: 'a third message under one declaration',
    by: 'S1',
    tell: () =>
      new Story(1, ALERT)
        .add()
        .claim(0)
        .mark(0)
        .fault()
        .settle(0, 'not-sent')
        .claim(0)
        .mark(0)
        .settle(0, 'unknown')
        .reconcile(0, { kind: 'declare', declaration: 'resend', provider: 'p0', delayMs: 0 }, 'retry-scheduled')
        .deliver(0)
        .arrive(0, { attempt: 1 })
        .arrive(0, { attempt: 2 }),
    net: ['END'],
  },
  {
    name: 'a message sent before its mark',
    by: 'S2',
    tell: () => new Story(1).add().claim(0).arrive(0, { attempt: 1 }).mark(0).settle(0, 'accepted'),
  },
  {
    name: "a message sent under another process's mark",
    by: 'S2',
    tell: () => new Story(1).add().claim(0).mark(0).arrive(0, { by: 'w2' }).settle(0, 'accepted'),
  },
  {
    name: 'a fence that is granted twice',
    by: 'S3',
    tell: () =>
      new Story(1)
        .add()
        .claim(0, { fence: 500 })
        .wait(LEASE_MS)
        .claim(0, { fence: 500, by: 'w2' })
        .mark(0)
        .arrive(0)
        .settle(0, 'accepted'),
  },
  {
    name: 'a fence that falls',
    by: 'S3',
    tell: () =>
      new Story(1)
        .add()
        .claim(0, { fence: 500 })
        .wait(LEASE_MS)
        .claim(0, { fence: 499 })
        .mark(0)
        .arrive(0)
        .settle(0, 'accepted'),
  },
  {
    name: 'a mark with an old fence',
    by: 'S3',
    tell: () =>
      new Story(1)
        .add()
        .claim(0, { fence: 500 })
        .wait(LEASE_MS)
        .claim(0, { fence: 501, by: 'w2' })
        .mark(0, { fence: 500 })
        .arrive(0)
        .settle(0, 'accepted', { fence: 500, as: 'evidence' }),
  },
  {
    name: 'a settle with an old fence',
    by: 'S3',
    tell: () =>
      unknown(new Story(1), 'k0')
        .reconcile(0, { kind: 'replay', provider: 'k0', delayMs: 0 }, 'retry-scheduled')
        .claim(0, { by: 'w2' })
        .arrive(0, { provider: 'k0', attempt: 1 })
        .settle(0, 'accepted', { fence: 101, attempt: 1 }),
  },
  {
    name: 'a late copy of a claim that takes the mark away',
    by: 'S3',
    tell: () =>
      new Story(1)
        .add()
        .claim(0, { fence: 500, requestId: 'q' })
        .mark(0)
        .claim(0, { fence: 500, requestId: 'q' })
        .arrive(0)
        .settle(0, 'accepted'),
  },
  {
    name: 'a delivery granted to another while its mark has no outcome',
    by: 'S4',
    tell: () =>
      new Story(1)
        .add()
        .claim(0)
        .mark(0)
        .claim(0, { by: 'w2' })
        .arrive(0)
        .settle(0, 'accepted', { fence: 101, as: 'evidence' }),
  },
  {
    name: 'a final state that is forgotten',
    by: 'S5',
    tell: () => refused(new Story(1)).asked(0, { kind: 'settled', state: 'cancelled' }),
  },
  {
    name: 'a bounce that a late response hides',
    by: 'S5',
    tell: () =>
      new Story(1)
        .add()
        .claim(0)
        .mark(0)
        .arrive(0)
        .asked(0, { kind: 'settled', state: 'bounced' })
        .settle(0, 'accepted'),
  },
  {
    name: 'an arrival that regresses',
    by: 'S5',
    tell: () =>
      new Story(1)
        .add()
        .deliver(0)
        .asked(0, { kind: 'settled', state: 'delivered' })
        .asked(0, { kind: 'settled', state: 'sent' }),
  },
  {
    name: 'an ack before the outcome is written',
    by: 'S6',
    tell: () => {
      const story = new Story(1).add();
      const receipt = story.receive(0);
      return story.claim(0).queue('ack', 'd_0', receipt).mark(0).arrive(0).settle(0, 'accepted');
    },
  },
  {
    name: 'an ack because somebody else holds the delivery',
    by: 'S6',
    tell: () => {
      const story = new Story(1).add().claim(0);
      const receipt = story.receive(0);
      story.asked(0, { kind: 'held', remainingMs: 100 }, 'w2').queue('ack', 'd_0', receipt);
      return story.mark(0).arrive(0).settle(0, 'accepted');
    },
  },
  {
    name: 'an ack on the strength of an answer to an earlier wake',
    by: 'S6',
    tell: () => {
      const story = new Story(1).add().asked(0, { kind: 'later', dueInMs: 1 });
      return story.queue('ack', 'd_0', story.receive(0)).deliver(0);
    },
  },
  {
    name: 'an ack of a notification that somebody else expands',
    by: 'S6',
    tell: () =>
      new Story(1)
        .queue('receive', NOTIFICATION, 'r')
        .event({
          kind: 'claim-notification',
          owner: 'w2',
          verdict: { kind: 'held', id: NOTIFICATION, remainingMs: 100 },
        })
        .queue('ack', NOTIFICATION, 'r')
        .add()
        .deliver(0),
  },
  {
    name: 'a payload swapped with a neighbour in the batch',
    by: 'S7',
    tell: () =>
      new Story(2).add().claim(0).mark(0).arrive(0, { body: 'hash of hello d_1' }).settle(0, 'accepted').deliver(1),
  },
  {
    name: 'a message to an address of nobody',
    by: 'S7',
    tell: () =>
      new Story(1).add().claim(0).mark(0).arrive(0, { to: 'somebody@else.example', inbox: -1 }).settle(0, 'accepted'),
    net: ['END'],
  },
  {
    name: 'a message that nobody asked for',
    by: 'S7',
    tell: () => new Story(1).add().deliver(0).deliver('d_stray'),
    net: ['END'],
  },
  {
    name: 'a blind second attempt',
    by: 'S8',
    tell: () => unknown(new Story(1), 'p0').deliver(0),
  },
  {
    name: 'a declared resend where the policy allows none',
    by: 'S8',
    tell: () =>
      unknown(new Story(1), 'p0')
        .reconcile(0, { kind: 'declare', declaration: 'resend', provider: 'p0', delayMs: 0 }, 'retry-scheduled')
        .deliver(0),
  },
  {
    name: 'an attempt after a known acceptance',
    by: 'S8',
    tell: () =>
      new Story(1)
        .add()
        .claim(0)
        .mark(0)
        .arrive(0)
        .settle(0, 'accepted', { state: 'retry-scheduled' })
        .claim(0)
        .mark(0)
        .fault()
        .settle(0, 'not-sent', { state: 'sent' }),
  },
  {
    name: 'another key on the second attempt',
    by: 'S9',
    tell: () =>
      unknown(new Story(1), 'k0')
        .claim(0)
        .mark(0, { provider: 'k0', key: 'another' })
        .arrive(0, { provider: 'k0', key: 'another' })
        .settle(0, 'accepted'),
  },
  {
    name: 'another body under the same key',
    by: 'S9',
    tell: () =>
      new Story(1)
        .add()
        .claim(0)
        .mark(0, { provider: 'k0' })
        .arrive(0, { provider: 'k0', outcome: 'refused', refusal: DEFERRED, body: 'hash of an earlier draft' })
        .settle(0, 'deferred')
        .claim(0)
        .mark(0, { provider: 'k0' })
        .arrive(0, { provider: 'k0' })
        .settle(0, 'accepted'),
  },
  {
    name: 'a key replayed when the provider has forgotten it',
    by: 'S9',
    tell: () =>
      unknown(new Story(1), 'k0')
        .idle(KEY_WINDOW_MS + 1)
        .claim(0)
        .mark(0, { provider: 'k0' })
        .arrive(0, { provider: 'k0' })
        .settle(0, 'accepted'),
    facts: { liveness: { boundMs: 2 * KEY_WINDOW_MS } },
  },
  {
    name: 'an undeclared failover',
    by: 'S10',
    tell: () =>
      unknown(new Story(1, DOCUMENT), 'k0')
        .claim(0)
        .mark(0, { provider: 'k1' })
        .arrive(0, { provider: 'k1' })
        .settle(0, 'accepted'),
  },
  {
    name: 'a delivery for somebody who was not asked for',
    by: 'S11',
    tell: () => {
      const story = new Story(1);
      return story
        .add({ deliveries: story.targets([0, 7]) })
        .deliver(0)
        .ends('d_7', 'sent');
    },
  },
  {
    name: 'a delivery that is made twice',
    by: 'S11',
    tell: () => new Story(1).add().add({ again: 'added' }).deliver(0),
  },
  {
    name: 'a page that is expanded to others the second time',
    by: 'S11',
    tell: () => {
      const story = new Story(2).add();
      return story.add({ again: 'repeated', deliveries: story.targets([1, 0]) }).deliverRest();
    },
  },
  {
    name: 'a recipient who is left out of the fan-out',
    by: 'S11',
    tell: () => {
      const story = new Story(2);
      return story.add({ deliveries: story.targets([0]) }).deliver(0);
    },
    net: ['END'],
  },
  {
    name: "a key that is another delivery's",
    by: 'S12',
    tell: () =>
      new Story(2)
        .add()
        .claim(0)
        .mark(0, { provider: 'k0' })
        .arrive(0, { provider: 'k0' })
        .settle(0, 'accepted')
        .fault()
        .claim(1)
        .mark(1, { provider: 'k0' })
        .arrive(1, { provider: 'k0', outcome: 'same' })
        .settle(1, 'accepted'),
    net: ['END'],
  },
  {
    name: 'two targets that collapse into one delivery',
    by: 'S12',
    tell: () => {
      const story = new Story(1).add();
      const [one] = story.targets();
      const other = { ...one!, target: { ...one!.target, recipientId: 'somebody else' } };
      return story
        .event({
          kind: 'add',
          request: { notificationId: 'n_2', page: 0, deliveries: [other] },
          verdict: { kind: 'repeated', record: {} },
        })
        .deliver(0);
    },
  },
  {
    name: 'a replay that is given the delivery it replaces',
    by: 'S12',
    tell: () => refused(new Story(1)).replay(0, { id: 'd_0' }),
  },
  {
    name: 'a dead letter without a reason',
    by: 'S13',
    tell: () => refused(new Story(1)).ends(0, 'failed', null),
  },
  {
    name: 'a failure that no dead letter shows',
    by: 'S13',
    tell: () => refused(new Story(1)),
    facts: { deadLetters: new Set() },
  },
  {
    name: 'a dead letter of something that was sent',
    by: 'S13',
    tell: () => new Story(1).add().deliver(0),
    facts: { deadLetters: new Set(['d_0']) },
  },
  {
    name: 'a failed notification that no dead letter shows',
    by: 'S13',
    tell: () => new Story(1).add().deliver(0),
    facts: { failedNotifications: [{ notificationId: 'n_9', reason: 'route threw' }] },
  },
  {
    name: 'an attempt counted without a mark',
    by: 'S14',
    tell: () => {
      const story = new Story(1).add().deliver(0);
      story.delivery(0).attempts += 1;
      return story;
    },
  },
  {
    name: 'a claim that counts an attempt',
    by: 'S14',
    tell: () => {
      const story = new Story(1).add();
      const attempt = { n: 1, presumed: false, outcome: null } as unknown as Attempt;
      story.delivery(0).tries.push(attempt);
      story.claim(0).delivery(0).tries.pop();
      return story.mark(0).arrive(0).settle(0, 'accepted');
    },
  },
  {
    name: 'a refund that never comes back',
    by: 'S14',
    tell: () => {
      const story = new Story(1)
        .add()
        .claim(0)
        .mark(0)
        .arrive(0, { outcome: 'refused', refusal: DEFERRED })
        .settle(0, 'deferred')
        .deliver(0);
      story.delivery(0).charged = 2;
      return story;
    },
  },
  {
    name: 'a mark after the delivery was cancelled',
    by: 'S15',
    tell: () =>
      new Story(1)
        .add()
        .claim(0)
        .cancel('d_0', { kind: 'cancelled', tooLate: [] })
        .mark(0)
        .arrive(0)
        .settle(0, 'accepted'),
  },
  {
    name: 'a new attempt after a cancel that was answered too-late',
    by: 'S15',
    tell: () =>
      new Story(1)
        .add()
        .claim(0)
        .mark(0)
        .cancel('d_0', { kind: 'too-late', state: 'dispatching' })
        .fault()
        .settle(0, 'not-sent')
        .deliver(0),
  },
  {
    name: 'a mark after the notification was cancelled',
    by: 'S15',
    tell: () => new Story(1).add().cancel(NOTIFICATION, { kind: 'cancelled', tooLate: [] }).deliver(0),
  },
  {
    name: 'a mark after an opt-out',
    by: 'S15',
    tell: () => {
      const happening = { kind: 'suppress', request: OPT_OUT, tooLate: [] } as const;
      return new Story(1).add().event(happening, 'operator').deliver(0);
    },
  },
  {
    name: 'a mark after the expiry',
    by: 'S15',
    tell: () => {
      const story = new Story(1).add();
      story.delivery(0).expiresAt = story.at + 5_000;
      return story.claim(0).wait(5_000).mark(0).arrive(0).settle(0, 'accepted');
    },
  },
  {
    name: 'a message that leaves long after its send deadline',
    by: 'S15',
    tell: () => new Story(1).add().claim(0).mark(0).wait(70_000).arrive(0).settle(0, 'accepted'),
  },
  {
    name: 'work that rests although somebody is healthy',
    by: 'L1',
    tell: () => new Story(1).add().wait(200_000).deliver(0),
  },
  {
    name: 'a delivery that is never settled',
    by: 'L2',
    tell: () => new Story(1).add().claim(0),
    net: ['END'],
  },
  {
    name: 'a delivery that is settled too late',
    by: 'L2',
    tell: () =>
      new Story(1)
        .add()
        .idle(BOUND_MS + 2_000)
        .deliver(0),
  },
  {
    name: 'a notification that is never expanded',
    by: 'L2',
    tell: () => new Story(1).add().deliver(0),
    facts: { liveness: { unfinished: [{ notificationId: 'n_9', state: 'expanding' }] } },
  },
  {
    name: 'a healthy core that does not finish',
    by: 'L3',
    tell: () => new Story(1).add().claim(0),
    facts: { liveness: { phase: 'core' } },
    net: ['END'],
  },
  {
    name: 'an endless circle of claims',
    by: 'L4',
    tell: () => {
      const story = new Story(1).add().event({ kind: 'heal' });
      for (let i = 0; i < 51; i += 1) story.claim(0);
      return story.mark(0).arrive(0).settle(0, 'accepted');
    },
  },
  {
    name: 'a lease that nobody takes over',
    by: 'L5',
    tell: () => new Story(1).add().deliver(0),
    facts: { liveness: { leases: [{ id: 'n_9', leaseUntil: -LEASE_MS, leaseMs: LEASE_MS }] } },
  },
  {
    name: 'a wake that is left in the queue',
    by: 'L6',
    tell: () => new Story(1).add().deliver(0),
    facts: { liveness: { queue: { depth: 1, orphans: [] } } },
  },
  {
    name: 'a wake without a record',
    by: 'L6',
    tell: () => new Story(1).add().deliver(0),
    facts: { liveness: { queue: { depth: 1, orphans: ['d_gone'] } } },
  },
  {
    name: 'a poison delivery that is claimed again and again',
    by: 'L7',
    tell: () => {
      const story = new Story(1).add();
      for (let i = 0; i < 6; i += 1) story.claim(0).event(KILL).wait(LEASE_MS);
      return story.ends(0, 'dead', 'poison');
    },
    facts: { liveness: { poison: [0] } },
  },
  {
    name: 'an unknown outcome without a fault',
    by: 'META',
    tell: () => new Story(1).add().claim(0).mark(0).arrive(0).settle(0, 'unknown').reconcile(0, FOUND, 'sent'),
  },
  {
    name: 'a declared duplicate without a fault',
    by: 'META',
    tell: () =>
      new Story(1, ALERT)
        .add()
        .claim(0)
        .mark(0)
        .settle(0, 'unknown')
        .reconcile(0, { kind: 'declare', declaration: 'resend', provider: 'p0', delayMs: 0 }, 'retry-scheduled')
        .deliver(0),
  },
  {
    name: 'a false success',
    by: 'S17',
    tell: () => new Story(1).add().claim(0).mark(0).settle(0, 'accepted'),
    net: ['END'],
  },
  {
    name: 'a false failure',
    by: 'S17',
    tell: () => new Story(1).add().claim(0).mark(0).arrive(0).settle(0, 'rejected'),
    net: ['END'],
  },
  {
    name: 'an acceptance under an id that no provider gave',
    by: 'S17',
    tell: () => new Story(1).add().claim(0).mark(0).arrive(0, { messageId: 'other' }).settle(0, 'accepted'),
  },
  {
    name: 'a message that is found under an id that no provider gave',
    by: 'S17',
    tell: () =>
      unknown(new Story(1), 'p0')
        .arrive(0)
        .reconcile(0, { ...FOUND, providerMessageId: 'probably' }, 'sent'),
  },
  {
    name: 'a rejection without a question',
    by: 'S17',
    tell: () => new Story(1).add().claim(0).mark(0).settle(0, 'rejected'),
    net: ['END'],
  },
  {
    name: 'a deferral without a question',
    by: 'S17',
    tell: () => new Story(1).add().claim(0).mark(0).settle(0, 'deferred').deliver(0),
  },
  {
    name: 'a rejection on the strength of an earlier one',
    by: 'S17',
    tell: () => {
      const story = new Story(1)
        .add()
        .claim(0)
        .mark(0)
        .arrive(0, { outcome: 'refused', refusal: DEFERRED })
        .settle(0, 'deferred');
      return story.claim(0).mark(0).settle(0, 'rejected');
    },
    net: ['END'],
  },
  {
    name: 'what arrived and is said not to be sent',
    by: 'S17',
    tell: () => {
      const story = new Story(1).add().claim(0).mark(0).arrive(0, { outcome: 'refused' }).fault();
      return story.settle(0, 'not-sent').deliver(0);
    },
  },
  {
    name: 'what is said not to be sent though nothing kept it',
    by: 'S17',
    tell: () => new Story(1).fault().wait(60_000).add().claim(0).mark(0).settle(0, 'not-sent').deliver(0),
  },
  {
    name: 'what is said to be unknown though nothing hid it',
    by: 'S17',
    tell: () =>
      new Story(1)
        .fault()
        .wait(60_000)
        .add()
        .claim(0)
        .mark(0, { provider: 'k0' })
        .arrive(0, { provider: 'k0' })
        .settle(0, 'unknown')
        .reconcile(0, FOUND, 'sent'),
  },
  {
    name: 'a second request with the same key under one mark',
    by: 'S17',
    tell: () => {
      const story = new Story(1).fault().add().claim(0).mark(0, { provider: 'k0' }).arrive(0, { provider: 'k0' });
      return story.arrive(0, { provider: 'k0', outcome: 'same' }).settle(0, 'accepted');
    },
  },
  {
    name: 'a possible duplicate that nothing gave cause to declare',
    by: 'S1',
    tell: () =>
      new Story(1, ALERT)
        .fault()
        .wait(60_000)
        .add()
        .claim(0)
        .mark(0)
        .arrive(0)
        .wait(60_000)
        .sweep(0)
        .reconcile(0, { kind: 'declare', declaration: 'resend', provider: 'p0', delayMs: 0 }, 'retry-scheduled')
        .deliver(0),
    net: ['END'],
  },
  {
    name: "another's content that the mark had frozen too",
    by: 'S7',
    tell: () => {
      const story = new Story(2).add().claim(0).mark(0, { text: 'hello d_1' });
      return story.arrive(0, { body: 'hash of hello d_1' }).settle(0, 'accepted').deliver(1);
    },
  },
  {
    name: 'an empty content that the mark had frozen too',
    by: 'S7',
    tell: () => {
      const story = new Story(1).add().claim(0).mark(0, { text: '' });
      return story.arrive(0, { body: 'hash of ' }).settle(0, 'accepted');
    },
  },
  {
    name: 'a message where no content can be made',
    by: 'S7',
    tell: () => new Story(1, BROKEN_TEMPLATE).add().deliver(0),
  },
  {
    name: 'a message over another channel',
    by: 'S7',
    tell: () => new Story(1).add().claim(0).mark(0).arrive(0, { channel: 'sms' }).settle(0, 'accepted'),
  },
  {
    name: 'other content than was frozen, where nobody can make it again',
    by: 'S7',
    tell: () =>
      new Story(1, { isOpen: true, contentOf: () => null })
        .add()
        .claim(0)
        .mark(0)
        .arrive(0, { body: 'hash of another' })
        .settle(0, 'accepted'),
  },
  {
    name: 'a learned recipient whom its notification does not name',
    by: 'S11',
    tell: () => new Story(1, { isOpen: true, isAskedFor: () => false }).add().deliver(0),
  },
  {
    name: 'giving up by itself',
    by: 'END',
    tell: () => new Story(1).add().ends(0, 'failed'),
  },
  {
    name: 'a death that no fault explains',
    by: 'END',
    tell: () => new Story(1).add().claim(0).ends(0, 'dead'),
  },
  {
    name: 'claims that lapse with nothing broken, until it counts as poison',
    by: 'END',
    tell: () => poisoned(new Story(1).add()),
  },
  {
    name: 'the same after a fault that was over before the first of them',
    by: 'END',
    tell: () => poisoned(new Story(1).fault().wait(60_000).add()),
  },
  {
    name: 'a lease that is shorter than a ledger call',
    by: 'END',
    tell: () => poisoned(new Story(1, ways(1_000, 24)).add(), 1_000),
  },
  {
    name: 'giving up on a slow provider before its time is over',
    by: 'META',
    tell: () =>
      new Story(1, ways(2, 5_000))
        .add()
        .claim(0)
        .mark(0)
        .arrive(0)
        .wait(9_000)
        .settle(0, 'unknown')
        .reconcile(0, FOUND, 'sent'),
  },
  {
    name: 'giving up on a provider that is not slow, however late',
    by: 'META',
    tell: () =>
      new Story(1, ways(2, 4_000))
        .add()
        .claim(0)
        .mark(0)
        .arrive(0)
        .wait(20_000)
        .settle(0, 'unknown')
        .reconcile(0, FOUND, 'sent'),
  },
  {
    name: 'what is said not to be sent long after a clock jumped',
    by: 'S17',
    tell: () => {
      const jump = { do: 'step-over-lease', op: 'ledger.mark', phase: 'B', amount: 83_813 } as const;
      return new Story(1, ways(5_000, 24))
        .add()
        .claim(0)
        .fault(jump)
        .wait(5_100)
        .mark(0)
        .settle(0, 'not-sent')
        .deliver(0);
    },
  },
  {
    name: 'a cancel that nobody asked for',
    by: 'END',
    tell: () => new Story(1).add().ends(0, 'cancelled'),
  },
  {
    name: 'a worker that cancels by itself',
    by: 'END',
    tell: () =>
      new Story(1)
        .event(START)
        .add()
        .event({ kind: 'cancel', request: { id: 'd_0', by: 'w1', why: 'too hard' }, verdict: CANCELLED }, 'w1')
        .ends(0, 'cancelled'),
  },
  {
    name: 'a worker that cancels the notification by itself',
    by: 'END',
    tell: () =>
      new Story(1)
        .event(START)
        .event({ kind: 'cancel', request: { id: NOTIFICATION, by: 'w1', why: 'too hard' }, verdict: CANCELLED }, 'w1'),
    facts: { notMade: () => 'cancelled' },
  },
  {
    name: 'an opt-out that nobody asked for',
    by: 'END',
    tell: () => new Story(1).add().ends(0, 'suppressed'),
  },
  {
    name: 'a worker that opts people out',
    by: 'END',
    tell: () =>
      new Story(1).event(START).add().deliver(0).event({ kind: 'suppress', request: OPT_OUT, tooLate: [] }, 'w1'),
  },
  {
    name: 'a worker that replays by itself what was parked',
    by: 'END',
    tell: () =>
      unknown(new Story(1).event(START), 'p0')
        .reconcile(0, PARK, 'parked')
        .replay(0, { possibleDuplicate: true })
        .deliver('d_0g1'),
  },
  {
    name: 'an expiry of what could have been sent',
    by: 'END',
    tell: () => expiring(new Story(1)).ends(0, 'expired'),
  },
  {
    name: 'an expiry long after the last fault',
    by: 'END',
    tell: () => expiring(new Story(1).fault()).ends(0, 'expired'),
  },
  {
    name: 'a notification that fails though its route works',
    by: 'END',
    tell: () => new Story(1, { failsToRoute: () => false }).add().deliver(0),
    facts: {
      failedNotifications: [{ notificationId: 'n_9', reason: 'route threw' }],
      deadLetters: new Set(['n_9']),
    },
  },
  {
    name: 'a delivery that is given up because it was deferred',
    by: 'S18',
    tell: () => followed(DEFERRED, { kind: 'failed', reason: 'r' }),
    net: ['END'],
  },
  {
    name: 'a delivery that is given up because its provider refused us',
    by: 'S18',
    tell: () => followed(UNAUTHORISED, { kind: 'failed', reason: 'r' }),
    net: ['END'],
  },
  {
    name: 'a message that is sent again though it was refused for good',
    by: 'S18',
    tell: () => followed({ kind: 'rejected', scope: 'message', reason: 'r' }, tryAgain('k0', 0)),
  },
  {
    name: 'a provider that is asked again before it may be',
    by: 'S18',
    tell: () => followed({ ...DEFERRED, retryAfterMs: 60_000 }, tryAgain('p0', 1_000)),
  },
  {
    name: 'a deferral that is kept waiting',
    by: 'S18',
    tell: () => followed({ ...DEFERRED, retryAfterMs: 60_000 }, tryAgain('p0', 60_001)),
  },
  {
    name: 'a deferral that goes to another provider',
    by: 'S18',
    tell: () => followed(DEFERRED, tryAgain('k0', 30_000)),
  },
  {
    name: 'a provider that is asked again though it refuses us',
    by: 'S18',
    tell: () => followed(UNAUTHORISED, tryAgain('p0', 30_000)),
  },
  { name: 'attempts that follow each other at once', by: 'S18', tell: () => outage(0, 0, 0) },
  { name: 'an attempt that comes later than its class says', by: 'S18', tell: () => outage(30_001) },
  {
    name: 'an unknown outcome that is taken for an answer',
    by: 'S18',
    tell: () => {
      const story = new Story(1).add().claim(0).mark(0).fault();
      return story.settle(0, 'unknown', { next: { kind: 'failed', reason: 'r' } }).reconcile(0, PARK, 'parked');
    },
  },
  {
    name: 'fewer attempts than the class gives',
    by: 'S18',
    tell: () => {
      const story = new Story(1);
      return story.add({ deliveries: story.targets().map((delivery) => ({ ...delivery, maxAttempts: 1 })) }).deliver(0);
    },
  },
  {
    name: 'parking what can be repeated with its key',
    by: 'S18',
    tell: () => unknown(new Story(1), 'k0').reconcile(0, PARK, 'parked'),
  },
  {
    name: 'parking what the class fails over',
    by: 'S18',
    tell: () => unknown(new Story(1, DOCUMENT), 'p0').reconcile(0, PARK, 'parked'),
  },
  {
    name: 'parking what the class assumes to be sent',
    by: 'S18',
    tell: () => unknown(new Story(1, { policyOf: () => CLASS_POLICIES.marketing }), 'p0').reconcile(0, PARK, 'parked'),
  },
  {
    name: 'a resend where the class fails over',
    by: 'S18',
    tell: () =>
      unknown(new Story(1, DOCUMENT), 'p0')
        .reconcile(0, { ...RESEND, provider: 'p0' }, 'retry-scheduled')
        .deliver(0),
  },
  {
    name: 'parking what nobody was asked about',
    by: 'S18',
    tell: () => unknown(new Story(1, LOOKUP), 'l0').reconcile(0, PARK, 'parked'),
  },
  {
    name: 'parking what can still be asked about',
    by: 'S18',
    tell: () => unknown(new Story(1, LOOKUP), 'l0').asks(0).reconcile(0, PARK, 'parked'),
  },
  {
    name: 'a resend of what nobody was asked about',
    by: 'S18',
    tell: () =>
      unknown(new Story(1, SECURITY), 'l0').reconcile(0, RESEND, 'retry-scheduled').deliver(0, { provider: 'l0' }),
  },
  {
    name: 'an absence that nobody was asked for',
    by: 'S18',
    tell: () =>
      unknown(new Story(1, LOOKUP), 'l0')
        .idle(2 * SETTLE_MS)
        .reconcile(0, ABSENT, 'retry-scheduled')
        .deliver(0, { provider: 'l0' }),
  },
  {
    name: 'an absence that proves nothing yet',
    by: 'S18',
    tell: () =>
      unknown(new Story(1, LOOKUP), 'l0')
        .asks(0)
        .reconcile(0, ABSENT, 'retry-scheduled')
        .deliver(0, { provider: 'l0' }),
  },
  {
    name: 'waiting where nobody can be asked',
    by: 'S18',
    tell: () =>
      unknown(new Story(1), 'p0')
        .reconcile(0, { kind: 'wait', delayMs: 30_000 }, 'unknown')
        .reconcile(0, PARK, 'parked'),
  },
  {
    name: 'a decision about what no sweep had handed out',
    by: 'S18',
    tell: () => {
      const story = unknown(new Story(1), 'p0');
      const request = { id: 'd_0', fence: story.delivery(0).fence, decision: PARK };
      story.event({ kind: 'reconcile', request, verdict: { kind: 'moved', id: 'd_0', state: 'parked' } });
      return story.ends(0, 'parked');
    },
  },
  {
    name: 'a repeat when no attempt is left',
    by: 'S18',
    tell: () => {
      const story = unknown(new Story(1), 'k0');
      story.delivery(0).charged = 5;
      story.reconcile(0, { kind: 'replay', provider: 'k0', delayMs: 0 }, 'retry-scheduled');
      story.delivery(0).charged = 1;
      return story.deliver(0, { provider: 'k0' });
    },
  },
  {
    name: 'a repeat whose mark gives its key another window',
    by: 'S18',
    tell: () =>
      unknown(new Story(1), 'k0')
        .reconcile(0, { kind: 'replay', provider: 'k0', delayMs: 0 }, 'retry-scheduled')
        .claim(0)
        .mark(0, { provider: 'k0', keyWindowMs: null })
        .arrive(0, { provider: 'k0' })
        .settle(0, 'accepted'),
  },
  {
    name: 'work that is put off beside too few others',
    by: 'S18',
    tell: () => putOff(9, 30_000),
  },
  {
    name: 'work that is put off for a minute',
    by: 'S18',
    tell: () => putOff(10, 60_000),
  },
  {
    name: 'work that is given back for an hour',
    by: 'S18',
    tell: () => {
      const story = new Story(1).add().claim(0);
      const request = { id: 'd_0', fence: story.delivery(0).fence, delayMs: 3_600_000, failure: null };
      return story.event({ kind: 'release', request, verdict: { kind: 'ok' } }).deliver(0);
    },
  },
  {
    name: 'a deferral that is charged',
    by: 'S14',
    tell: () => {
      const story = new Story(1).add().claim(0).mark(0).arrive(0, { outcome: 'refused', refusal: DEFERRED });
      return story.settle(0, 'deferred', { refund: false }).wait(30_000).deliver(0);
    },
  },
  {
    name: 'a refusal that is not charged',
    by: 'S14',
    tell: () => new Story(1).add().claim(0).mark(0).fault().settle(0, 'not-sent', { refund: true }).deliver(0),
  },
  {
    name: 'another wait than the provider asked for',
    by: 'S17',
    tell: () => {
      const story = new Story(1).add().claim(0).mark(0);
      const refusal = { ...DEFERRED, retryAfterMs: 5_000 } as const;
      return story.arrive(0, { outcome: 'refused', refusal }).settle(0, 'deferred').deliver(0);
    },
  },
  {
    name: 'an outcome that is assumed where the policy does not say so',
    by: 'S18',
    tell: () => unknown(new Story(1), 'p0').reconcile(0, { kind: 'assume-sent', reason: 'who knows' }, 'sent'),
    net: ['END'],
  },
  {
    name: 'giving up on what no fault had touched',
    by: 'END',
    tell: () =>
      new Story(1)
        .fault()
        .wait(60_000)
        .add()
        .claim(0)
        .mark(0)
        .arrive(0)
        .wait(60_000)
        .sweep(0)
        .reconcile(0, PARK, 'parked'),
  },
  {
    name: 'rows of input that are in no sum',
    by: 'END',
    tell: () => new Story(2).add().deliverRest(),
    facts: { input: { rows: 5, merged: 1, invalid: 1 } },
  },
  {
    name: 'a recipient that is counted twice',
    by: 'END',
    tell: () => new Story(2).add().deliverRest(),
    facts: { requested: [0, 1, 1] },
  },
];

describe('the judge', () => {
  test.each(BAD)('catches $name by $by alone', ({ tell, facts, by }) => {
    expect(broken(tell(), facts)).toEqual([by]);
  });

  test.each(BAD)('misses $name without $by, but for the final count', ({ tell, facts, by, net = [] }) => {
    expect(broken(tell(), facts, { without: [by] })).toEqual(net);
  });

  test('has a history for each invariant', () => {
    expect(new Set(BAD.map(({ by }) => by))).toEqual(new Set(INVARIANTS));
  });
});
