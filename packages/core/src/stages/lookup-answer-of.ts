import { reasonOf } from '../model/errors.ts';
import type { LookupAnswer } from '../ports/provider.ts';
import { messageIdOf } from './outcome-of.ts';

/**
 * What a provider's lookup answered, as one of its three answers and nothing beside. What cannot be used tells nothing: taken for
 * "absent" it would send twice. Never throws; reads each field once.
 */
export function lookupAnswerOf(answer: unknown): LookupAnswer {
  try {
    return read(answer);
  } catch (thrown) {
    return unusable(`what cannot be read: ${reasonOf(thrown)}`);
  }
}

function read(answer: unknown): LookupAnswer {
  if (typeof answer !== 'object' || answer === null) return unusable(reasonOf(answer));
  const { kind, providerMessageId, reason } = answer as Readonly<Record<string, unknown>>;
  if (kind === 'absent') return { kind: 'absent' };
  if (kind === 'cannot-tell') return { kind: 'cannot-tell', reason: reasonOf(reason ?? 'no reason given') };
  if (kind !== 'found') return unusable(`kind ${reasonOf(kind)}`);
  const id = messageIdOf(providerMessageId);
  // It found something, and not what: only an id makes it proof that can be checked and counted once.
  return id === null
    ? unusable(`found, with ${reasonOf(providerMessageId)} for a message id`)
    : { kind: 'found', providerMessageId: id };
}

function unusable(came: string): LookupAnswer {
  return { kind: 'cannot-tell', reason: reasonOf(`the lookup answered ${came}`) };
}
