import type { DeliveryRecord, MessageContent } from '../model/delivery.ts';
import { reasonOf } from '../model/errors.ts';
import { frozenCopy, jsonCopy, NotJson } from '../model/json.ts';
import { NO_DATA, type Target } from '../model/recipient.ts';
import type { ResolvedType } from '../settings.ts';
import type { Made } from './answered.ts';
import { changeable } from './lanes.ts';
import { isThenable } from './thenable.ts';

type Make = (
  data: unknown,
  target: Target,
  of: { readonly deliveryId: string; readonly generation: number },
) => unknown;

/**
 * Asks the type for the message of one delivery. What the function is shown are frozen copies, and what it returns is copied before
 * anybody else is asked: an object that it keeps and changes for the next recipient is none of this one's message.
 */
export function makeContent({ type }: ResolvedType, record: DeliveryRecord, data: unknown): Made | Promise<Made> {
  const make = type.content as Make;
  const { id: deliveryId, generation } = record;
  try {
    const content = make(frozenCopy(data, 'data'), shown(record.target), { deliveryId, generation });
    // Most content functions are synchronous; a promise per delivery would be most of a batch's cost.
    return isThenable(content) ? Promise.resolve(content).then(takenLater, threw) : taken(content);
  } catch (thrown) {
    return threw(thrown);
  }
}

/** The record's own target stays as it is, whatever is done to this one: its address is where the message goes. */
function shown({ channel, to, recipientId, destinationId, data }: Target): Target {
  const own = Object.keys(data).length === 0 ? NO_DATA : (jsonCopy(data, 'target') as Target['data']);
  return Object.freeze({ channel, to, recipientId, destinationId, data: own });
}

function taken(content: unknown): Made {
  // A function that forgets to return would send an empty message, and freeze it.
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return unusable(`content must return an object, got ${reasonOf(content)}`);
  try {
    const message = jsonCopy(content, 'content');
    if (typeof message === 'object' && message !== null)
      return { kind: 'made', message: message as MessageContent, from: [] };
    return unusable(`content must return an object, got one whose toJSON says ${reasonOf(message)}`);
  } catch (thrown) {
    return thrown instanceof NotJson ? unusable(`DATA_UNSERIALIZABLE: ${thrown.message}`) : threw(thrown);
  }
}

/** In the same turn as the copy: later on they may have other objects in them. */
function takenLater(content: unknown): Made {
  const made = taken(content);
  return made.kind === 'made' ? { ...made, from: changeable(content) } : made;
}

export function unusable(reason: string): Made {
  return { kind: 'unusable', reason, from: [] };
}

function threw(thrown: unknown): Made {
  return unusable(`content threw ${reasonOf(thrown)}`);
}
