import { reasonOf } from '../model/errors.ts';
import { OUTCOME_KINDS, REJECTION_SCOPES, type Outcome, type OutcomeKind } from '../model/outcome.ts';
import { LONGEST_WAIT_MS } from '../policy/retry.ts';

/** Longer than any provider's, and short enough for any store's index, characters. */
const LONGEST_ID = 1_000;

/**
 * What a provider's `send` answered, as one of the five outcomes and nothing beside: an adapter is somebody else's code, and what it
 * answers is stored, decided on and counted. What cannot be used is `unknown`, since the request may have gone, and says what came. A
 * kind that can be used stands, though its reason or its wait cannot. Never throws; reads each field once.
 */
export function outcomeOf(answer: unknown): Outcome {
  try {
    return read(answer);
  } catch (thrown) {
    return unusable(`what cannot be read: ${reasonOf(thrown)}`);
  }
}

/** A provider's own id of a message, or null where it is none that could be stored and found again. */
export function messageIdOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '' || value.length > LONGEST_ID) return null;
  return /[\p{Cc}\p{Cs}]/u.test(value) ? null : value;
}

type Fields = Readonly<Record<string, unknown>>;

function read(answer: unknown): Outcome {
  if (typeof answer !== 'object' || answer === null) return unusable(`${reasonOf(answer)}, which is no outcome`);
  const fields = answer as Fields;
  const { kind } = fields;
  if (!OUTCOME_KINDS.includes(kind as OutcomeKind)) return unusable(`kind ${named(kind)}, which is no outcome`);
  switch (kind as OutcomeKind) {
    case 'accepted':
      return accepted(fields['providerMessageId']);
    case 'rejected':
      return rejected(fields);
    case 'deferred':
      return deferred(fields);
    case 'not-sent':
      return { kind: 'not-sent', reason: reasonIn(fields) };
    case 'unknown':
      return { kind: 'unknown', reason: reasonIn(fields) };
  }
}

function accepted(given: unknown): Outcome {
  const providerMessageId = messageIdOf(given);
  if (providerMessageId !== null) return { kind: 'accepted', providerMessageId };
  const came = typeof given === 'string' && given.length > LONGEST_ID ? `${given.length} characters` : named(given);
  return { kind: 'unknown', reason: reasonOf(`missing-id: accepted, and the message id was ${came}`) };
}

function rejected(fields: Fields): Outcome {
  const given = fields['scope'];
  const scope = REJECTION_SCOPES.find((each) => each === given);
  if (scope === undefined) return unusable(`rejected with scope ${named(given)}, which is no scope`);
  const { code, goneAt } = fields;
  const said = typeof code === 'string' || typeof code === 'number' ? { code: reasonOf(code) } : {};
  const isTime = goneAt === null || (Number.isSafeInteger(goneAt) && (goneAt as number) >= 0);
  const since = isTime && scope === 'destination' ? { goneAt: goneAt as number | null } : {};
  return { kind: 'rejected', scope, reason: reasonIn(fields), ...said, ...since };
}

/** A wait that is none is left out, and the class's own back-off applies; the reason says so, or nobody would ever see it. */
function deferred(fields: Fields): Outcome {
  const { retryAfterMs } = fields;
  const reason = reasonIn(fields);
  if (retryAfterMs === undefined || retryAfterMs === null) return { kind: 'deferred', reason };
  if (typeof retryAfterMs === 'number' && retryAfterMs >= 0 && retryAfterMs <= LONGEST_WAIT_MS)
    return { kind: 'deferred', reason, retryAfterMs: Math.ceil(retryAfterMs) };
  return { kind: 'deferred', reason: reasonOf(`${reason} (its retryAfterMs, ${named(retryAfterMs)}, is no wait)`) };
}

function reasonIn({ reason }: Fields): string {
  return reason === undefined || reason === null || reason === '' ? 'no reason given' : reasonOf(reason);
}

function unusable(came: string): Outcome {
  return { kind: 'unknown', reason: reasonOf(`the provider's adapter answered ${came}`) };
}

function named(value: unknown): string {
  return typeof value === 'string' ? `'${reasonOf(value)}'` : reasonOf(value);
}
