import type { AddressRules } from '../ports/addresses.ts';
import { normaliseAddress } from './address.ts';
import { checkedAddress, NO_RULES } from './checked-address.ts';
import { CHANNELS, type Channel } from './classes.ts';
import { reasonOf } from './errors.ts';
import { jsonCopy, NotJson } from './json.ts';

/** Where one message goes: one recipient on one channel (on push: one device). Frozen all the way down. */
export interface Target {
  readonly channel: Channel;
  /** The address as it is sent to: in the form that its channel's rule gives it, else exactly as typed. */
  readonly to: string;
  /** Who: the given id, else the normalised address. */
  readonly recipientId: string;
  /** '' unless the recipient has several destinations on the channel. */
  readonly destinationId: string;
  /** What the content function may use: name, locale, anything JSON. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Why it cannot be used, where it cannot: its delivery is born failed with this reason. Names fields and kinds, never values. */
  readonly problem?: string;
}

/** A target as a route function or a caller writes it. */
export interface TargetInput {
  readonly channel: Channel;
  /** May be left out with an `id` where the config has `destinations`: then it goes to each of the recipient's own. */
  readonly to?: string;
  /** Stable id of the person, 1 to 512 characters; default: the normalised address. */
  readonly id?: string;
  /** Up to 512 characters; without `to`, which of the recipient's destinations alone. @defaultValue '' */
  readonly destinationId?: string;
  /** Anything else becomes `data`, as JSON. */
  readonly [field: string]: unknown;
}

/** Longest id of a recipient or destination, and longest key, characters: short enough for any store's index. */
export const LONGEST_ID = 512;

/** The data of a target that has none. */
export const NO_DATA: Target['data'] = Object.freeze({});

/**
 * The target with its identity filled in. Never throws: what cannot be used becomes a target that says why (`problem`), so that it fails
 * alone, and visibly, and loses nobody else. An address that its rule does not take stays as it is typed: whoever makes the delivery says
 * what is wrong with it, with the rule that holds then.
 */
export function toTarget(input: TargetInput, rules: AddressRules = NO_RULES): Target {
  try {
    return read(input, rules);
  } catch (thrown) {
    return unusable({}, `it could not be read: ${reasonOf(thrown)}`);
  }
}

type Given = Readonly<Partial<Record<'channel' | 'to' | 'id' | 'destinationId', unknown>>>;

function read(input: TargetInput, rules: AddressRules): Target {
  const given: unknown = input;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return unusable({}, `a target must be an object { channel, to }, got ${kindOf(given)}`);
  const { channel, to: address, id, destinationId, ...rest } = input;
  const problem = channelProblem(channel) ?? textProblem('id', id, 1) ?? textProblem('destinationId', destinationId, 0);
  const data = problem ?? dataOf(rest);
  if (typeof data === 'string') return unusable({ channel, to: address, id, destinationId }, data);
  // A missing address (a contact without e-mail) fails alone at fan-out; it must not fail everybody's route.
  const typed = typeof address === 'string' ? address : '';
  const to = Object.hasOwn(rules, channel) ? ruled(rules, channel, typed) : typed;
  return Object.freeze({
    channel,
    to,
    recipientId: id ?? normaliseAddress(channel, to),
    destinationId: destinationId ?? '',
    data,
  });
}

function ruled(rules: AddressRules, channel: Channel, typed: string): string {
  const verdict = checkedAddress(rules, channel, typed);
  return verdict.kind === 'usable' ? verdict.to : typed;
}

/** An own copy, or why there is none. */
function dataOf(rest: Readonly<Record<string, unknown>>): Target['data'] | string {
  if (Object.keys(rest).length === 0) return NO_DATA;
  try {
    return jsonCopy(rest, 'target') as Target['data'];
  } catch (thrown) {
    return thrown instanceof NotJson ? thrown.message : `its data could not be read: ${reasonOf(thrown)}`;
  }
}

/** A name that is no channel of ours may be a slip, and is told by that name; what is no name at all cannot be. */
function channelProblem(channel: unknown): string | null {
  if (typeof channel === 'string') return null;
  return `channel must be one of ${CHANNELS.join(', ')}, got ${kindOf(channel)}`;
}

function textProblem(field: string, value: unknown, least: number): string | null {
  if (value === undefined || value === null) return null;
  const fits = typeof value === 'string' && value.length >= least && value.length <= LONGEST_ID;
  return fits ? null : `${field} must be a text of ${least} to ${LONGEST_ID} characters, got ${kindOf(value)}`;
}

/** Never what a value says: reasons are told where addresses may not be. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (value === '') return 'an empty text';
  if (typeof value === 'string') return `a text of ${value.length}`;
  if (Array.isArray(value)) return 'a list';
  return `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

/** What stands for a channel where none was named: nobody can configure it. */
const NO_CHANNEL = 'unknown' as Channel;

/** Its own identity, so that it never takes the place of somebody who can be told. */
function unusable({ channel, to, id, destinationId }: Given, problem: string): Target {
  const known = [id, to, destinationId].filter((each) => typeof each === 'string' || typeof each === 'number');
  return Object.freeze({
    channel: typeof channel === 'string' ? (channel as Channel) : NO_CHANNEL,
    to: typeof to === 'string' ? to : '',
    recipientId: `unusable: ${known.join(' ')}`.slice(0, LONGEST_ID),
    destinationId: '',
    data: NO_DATA,
    problem,
  });
}
