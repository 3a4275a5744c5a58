import type { DeliveryState } from '@sendonce/core';
import type { EndClass } from '../result.ts';
import type { NotMade } from './facts.ts';

/** What is known about one requested recipient when the run is over. */
export interface RecipientFacts {
  /** By the mailbox. */
  readonly messages: number;
  /** Messages beyond the first that were declared before they could happen. */
  readonly declaredExtras: number;
  /** Of the generation that tells most; null: no delivery was ever made. */
  readonly state: DeliveryState | null;
  readonly assumed: boolean;
  readonly mayAssume: boolean;
  readonly everUnknown: boolean;
  /** Some generation is parked, so a message beside a failed one is no contradiction. */
  readonly anyParked: boolean;
  readonly notMade: NotMade | null;
  /** The store lost its memory in this run: that a record is gone proves nothing. */
  readonly storeForgot: boolean;
}

/** `wrong`: what is not as it must be, or null. `unsettled`: it only came to no end, which is L2's to say. */
export interface RecipientEnd {
  readonly end: EndClass | null;
  readonly wrong: string | null;
  readonly unsettled?: boolean;
}

/** Precedence: duplicated, resent, then the record's state. `end` is null outside the sums. */
export function endClass(facts: RecipientFacts): RecipientEnd {
  const { messages, declaredExtras, state } = facts;
  if (messages > 1 + declaredExtras)
    return {
      end: 'duplicated',
      wrong: `got ${messages} messages, and ${declaredExtras} beyond the first were declared`,
    };
  if (messages > 1) return { end: 'resent', wrong: null };
  return state === null ? withoutRecord(facts) : byState(state, facts);
}

function withoutRecord({ messages, notMade, storeForgot }: RecipientFacts): RecipientEnd {
  if (messages > 0 && storeForgot) return { end: 'recovered', wrong: null };
  const arrived = messages === 0 ? null : `a message arrived, and no delivery is on record (${notMade})`;
  switch (notMade) {
    case 'unsealed':
      return { end: null, wrong: null };
    case 'cancelled':
    case 'failed':
      return { end: notMade, wrong: arrived };
    case 'forgotten':
      return { end: null, wrong: arrived };
    case 'unfinished':
      return stuck(messages, arrived ?? 'its notification is not expanded, and no message arrived');
    case 'missing':
    case null:
      return {
        end: messages === 0 ? 'lost' : 'recovered',
        wrong: arrived ?? 'no delivery was made, and no message arrived',
      };
  }
}

function stuck(messages: number, wrong: string): RecipientEnd {
  return { end: messages === 0 ? 'lost' : 'unsettled', wrong, unsettled: true };
}

function byState(state: DeliveryState, facts: RecipientFacts): RecipientEnd {
  const { messages, assumed, mayAssume, anyParked, everUnknown } = facts;
  switch (state) {
    case 'sent':
    case 'delivered':
    case 'bounced':
    case 'undeliverable':
      if (assumed && mayAssume) return { end: 'assumed', wrong: null };
      if (messages === 0) return { end: 'lost', wrong: `believed ${state}, and no message arrived` };
      return { end: everUnknown ? 'recovered' : 'once', wrong: null };
    case 'queued':
    case 'processing':
    case 'dispatching':
    case 'retry-scheduled':
    case 'unknown':
      return stuck(
        messages,
        `still ${state} at the end, and ${messages === 1 ? 'a message' : `${messages} messages`} arrived`,
      );
    case 'parked':
      return { end: 'parked', wrong: null };
    case 'failed':
    case 'dead':
    case 'expired':
    case 'suppressed':
    case 'cancelled':
      return { end: state, wrong: messages === 0 || anyParked ? null : `believed ${state}, and a message arrived` };
  }
}
