/** What an invariant promises, why it matters when it breaks, and where to look first. */
export interface InvariantText {
  readonly title: string;
  readonly why: string;
  readonly advice: string;
}

const KEY =
  'Send with an idempotency key that is the same on every attempt, or look the message up before a second one.';
const FENCE = 'Check the fence inside the store, in the same statement that writes.';
const MARK =
  'Write the mark before the first byte leaves, and treat a mark without an outcome as unknown, never as not sent.';
const SETTLE =
  'Acknowledge the queue message only after the ledger has answered that the record is settled, waiting or unknown.';

/** Every invariant that a run can check (docs/reference/simulate.md explains them at length). */
export const INVARIANT_TEXTS: Readonly<Record<string, InvariantText>> = {
  S1: {
    title: 'at most one message per delivery, declared repeats apart',
    why: 'A second message left although nobody had written down beforehand that it might be a duplicate.',
    advice: KEY,
  },
  S2: {
    title: 'every message was marked before it left',
    why: 'A message reached the provider without a durable mark of the same fence. A crash right after it leaves no trace of the send.',
    advice: MARK,
  },
  S3: {
    title: 'an old fence changes nothing',
    why: 'A worker that had lost its lease still changed the record that somebody else works on.',
    advice: FENCE,
  },
  S4: {
    title: 'one owner between mark and outcome',
    why: 'Two workers were allowed to send the same delivery at the same time.',
    advice: 'Let the lease free only records that were not marked; a marked one becomes unknown when its window ends.',
  },
  S5: {
    title: 'final states never regress',
    why: 'A delivery that was over went back to an earlier state, so it can be sent again or its fate is forgotten.',
    advice: 'Let evidence (webhooks, late answers) move a state forward only, in either order of arrival.',
  },
  S6: {
    title: 'a queue message is acknowledged only when nothing is left to do for it',
    why: 'The only reminder of this delivery was removed while it still needed work.',
    advice: SETTLE,
  },
  S7: {
    title: 'nothing is delivered that was not asked for',
    why: 'A recipient got a message, a content or a channel that was not asked for, or that is for somebody else or nobody.',
    advice: 'Freeze address and content on the delivery and send only from there, never from the batch in memory.',
  },
  S8: {
    title: 'the next attempt follows only a known failure, or the policy',
    why: 'A delivery was tried again although the attempt before may have been accepted.',
    advice: MARK,
  },
  S9: {
    title: 'the same key carries the same message, inside the key window',
    why: 'The provider no longer knows the key, or the key came with another body, so it took the repeat for a new message.',
    advice: 'Stop replaying before the key window closes, and freeze the message at the first mark.',
  },
  S10: {
    title: 'another provider only after a known failure, or by policy',
    why: 'The second provider was asked although the first one may have accepted the message.',
    advice: 'Do not fail over on a timeout. Fail over on a refusal, or declare the possible duplicate first.',
  },
  S11: {
    title: 'each recipient becomes one delivery',
    why: 'The deliveries made are not the recipients that were frozen, once each.',
    advice:
      'Derive delivery ids from notification and recipient, and move the cursor in the same write that inserts them.',
  },
  S12: {
    title: 'different messages are never taken for the same one',
    why: 'A message was dropped because another notification, channel, tenant or generation used the same key.',
    advice:
      'Make the deduplication key of everything that makes a message different: tenant, type, key, recipient, channel, generation.',
  },
  S13: {
    title: 'what gives up is a dead letter with a reason',
    why: 'A delivery ended without success and without a dead letter that says why, or the other way round.',
    advice: 'End every delivery in a state and a reason; never drop one because a counter ran out.',
  },
  S14: {
    title: 'attempts are counted by their marks',
    why: 'The number of attempts and the number of marks differ, so the cap on attempts does not hold.',
    advice: 'Count inside the mark, and refund only at settle.',
  },
  S15: {
    title: 'nothing is sent after a cancel, an opt-out or the expiry',
    why: 'A message left after it had been forbidden, and that had been acknowledged.',
    advice: 'Check cancel, opt-out and expiry inside the mark, not before it.',
  },
  S16: {
    title: "the provider's limits hold",
    why: 'More was sent at once, or per second, than the provider allows.',
    advice: 'Take the permit before the mark, and keep the budget where all workers see it.',
  },
  S17: {
    title: 'what is written about an attempt is what its provider answered',
    why: 'The record says that a message was taken, refused or not sent, or that nobody can tell, and no provider and no fault made it so.',
    advice: 'Write outcomes as they came: one request per mark, and unknown only where the answer was really lost.',
  },
  S18: {
    title: 'what follows an outcome is what the class says',
    why: 'A delivery was given up, repeated, or made to wait, and the policy of its class says otherwise.',
    advice:
      'Let the outcome and the class decide alone: wait as long as its retries say, refund what was deferred, and give up only when no key, no lookup and no attempt is left.',
  },
  L1: {
    title: 'work goes on while one healthy path exists',
    why: 'Nothing was settled for too long although a worker, the store and a provider were healthy.',
    advice: 'Look for a wait without an end, or for a lock that its holder never gives back.',
  },
  L2: {
    title: 'everything is settled soon after the last fault',
    why: 'Deliveries were still open long after everything had healed.',
    advice:
      'Every state that waits needs somebody who wakes it: a sweeper that works from the ledger, not from the queue.',
  },
  L3: {
    title: 'one healthy core is enough',
    why: 'With the rest broken for good, the healthy part did not finish the work by itself.',
    advice: 'Let any worker take over any record whose lease has run out.',
  },
  L4: {
    title: 'no endless circle',
    why: 'The same records went round the same states without coming closer to an end.',
    advice: 'Count every try, and let the cap end it.',
  },
  L5: {
    title: 'no lease outlives itself',
    why: 'A record stayed leased for more than twice the lease: its worker is gone and nobody took over.',
    advice: 'Let a lease end by the clock of the store, not by a message from its holder.',
  },
  L6: {
    title: 'nothing is left behind',
    why: 'The queue or the ledger still holds work that nobody will look at.',
    advice: SETTLE,
  },
  L7: {
    title: 'one bad item delays nobody else',
    why: 'An item that can never succeed was tried for ever, or held up the others.',
    advice: 'Cap the tries of each item by itself, and settle a batch item by item.',
  },
  META: {
    title: 'without faults, where answers can come in time: no duplicate, no repeat, nothing unknown',
    why: 'Nothing had been broken, and yet a message was sent again or its outcome was in doubt.',
    advice: 'Look at durations: a lease or a window that is shorter than a normal send makes its own faults.',
  },
  END: {
    title: 'the sums add up: one end for each recipient, and a cause for each that is no message',
    why: 'The mailbox and the records disagree about what happened to a recipient, or a delivery was given up that nothing had kept. The mailbox is right.',
    advice: `${MARK} ${SETTLE}`,
  },
};

const UNLISTED: InvariantText = {
  title: 'a promise of the harness',
  why: 'The history shows something that must not happen.',
  advice: 'Follow the timeline from the first fault.',
};

export function invariantText(id: string): InvariantText {
  return INVARIANT_TEXTS[id] ?? UNLISTED;
}
