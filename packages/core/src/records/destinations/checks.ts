import { CHANNELS, type Channel } from '../../model/classes.ts';
import { reasonOf, SendonceError } from '../../model/errors.ts';
import { jsonCopy } from '../../model/json.ts';
import { LONGEST_ID } from '../../model/recipient.ts';
import { LONGEST_ADDRESS, MOST_DESTINATIONS, type RegisterRequest } from '../../ports/destinations.ts';

/** Longest `data` of a registration as JSON, characters. */
const LONGEST_DATA = 4_096;
const LONGEST_WORDS = 1_000;

type Fields = Readonly<Record<string, unknown>>;
/** What a field must be, or null where it is that. */
type Check = (value: unknown) => string | null;

function text(most: number): Check {
  return (value) =>
    typeof value === 'string' && value !== '' && value.length <= most ? null : `a text of 1 to ${most} characters`;
}

const CHECKS: Readonly<Record<string, Check>> = {
  tenant: text(LONGEST_ID),
  channel: (value) => (CHANNELS.includes(value as Channel) ? null : `one of ${CHANNELS.join(', ')}`),
  recipientId: text(LONGEST_ID),
  id: text(LONGEST_ID),
  to: text(LONGEST_ADDRESS),
  provider: text(LONGEST_ID),
  by: text(LONGEST_ID),
  reason: text(LONGEST_WORDS),
  evidence: (value) => (value === 'dead' || value === 'suspect' ? null : "'dead' or 'suspect'"),
  at: (value) => (Number.isSafeInteger(value) && (value as number) >= 0 ? null : 'a whole number of ms since 1970'),
  suppressed: (value) => (typeof value === 'boolean' ? null : 'true or false'),
  state: (value) => (value === 'dead' || value === 'suppressed' ? null : "'dead' or 'suppressed'"),
  max: (value) =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1_000
      ? null
      : 'a whole number from 1 to 1,000',
};

/** A field whose check has another name is written `field=check`; one with `?` may be left out. */
export const FIELDS = {
  owner: ['tenant', 'channel', 'recipientId'],
  register: ['tenant', 'channel', 'recipientId', 'id', 'to'],
  remove: ['tenant', 'channel', 'recipientId', 'id?', 'to?'],
  address: ['tenant', 'channel', 'to'],
  evidence: ['tenant', 'channel', 'to', 'kind=evidence', 'at', 'provider', 'reason'],
  suppression: ['tenant', 'channel', 'to', 'suppressed', 'reason', 'by', 'at?'],
  list: ['tenant', 'channel', 'state', 'max?'],
  recipient: ['tenant', 'recipientId'],
} as const;

/**
 * Whether each item of a call is what it has to be. What came is not shown: it may be an address.
 * @throws SendonceError OPTION_INVALID naming the call, the item and the field.
 */
export function checkItems(call: string, given: unknown, fields: readonly string[]): void {
  if (!Array.isArray(given)) refuse(`${call} takes a list, got ${reasonOf(given)}`);
  if (given.length > MOST_DESTINATIONS) refuse(`${call} takes ${MOST_DESTINATIONS} items at most, got ${given.length}`);
  for (const [at, item] of (given as unknown[]).entries()) checkItem(`${call}: item ${at}`, item, fields);
}

export function checkItem(where: string, item: unknown, fields: readonly string[]): void {
  if (typeof item !== 'object' || item === null) refuse(`${where} must be an object, got ${reasonOf(item)}`);
  for (const each of fields) {
    const [field = '', named = field] = each.replace('?', '').split('=');
    const value = (item as Fields)[field];
    if (value === undefined && each.endsWith('?')) continue;
    const must = CHECKS[named]?.(value) ?? null;
    if (must !== null) refuse(`${where}: ${field} must be ${must}`);
  }
}

/** The request with a copy of its own of its data. @throws SendonceError OPTION_INVALID */
export function withOwnData(request: RegisterRequest, at: number): RegisterRequest {
  if (request.data === undefined) return request;
  let data: unknown;
  try {
    data = jsonCopy(request.data, 'data');
  } catch (thrown) {
    return refuse(`register: item ${at}: ${reasonOf(thrown)}`);
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data) || JSON.stringify(data).length > LONGEST_DATA)
    return refuse(`register: item ${at}: data must be an object of at most ${LONGEST_DATA} characters of JSON`);
  return { ...request, data: data as Readonly<Record<string, unknown>> };
}

export function refuse(message: string): never {
  throw new SendonceError('OPTION_INVALID', `destinations: ${message}`);
}
