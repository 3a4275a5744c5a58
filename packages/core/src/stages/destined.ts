import { addressProblem } from '../model/address.ts';
import type { Channel } from '../model/classes.ts';
import type { Target } from '../model/recipient.ts';
import {
  LONGEST_ADDRESS,
  type AddressHealth,
  type Destination,
  type DestinationAddress,
  type DestinationOwner,
  type Health,
} from '../ports/destinations.ts';

/** A page of targets as it is sent to: those without an address have the recipient's destinations in their place. */
export interface Destined {
  readonly targets: readonly Target[];
  /** Why some of them are not sent to. */
  readonly failures: ReadonlyMap<Target, string>;
}

/** What is to be asked about a target: nothing where it can be told already that it fails. */
export type Question =
  | { readonly kind: 'owner'; readonly owner: DestinationOwner }
  | { readonly kind: 'address'; readonly address: DestinationAddress }
  | { readonly kind: 'none' };

/** `channels`: those of the config. Of another one the store may know nothing, and a question that it refuses would keep the whole page. */
export function questionOf(
  tenant: string,
  { channel, to, recipientId, problem }: Target,
  channels: ReadonlyMap<Channel, unknown>,
): Question {
  if (problem !== undefined || !channels.has(channel)) return { kind: 'none' };
  if (to === '')
    return recipientId === '' ? { kind: 'none' } : { kind: 'owner', owner: { tenant, channel, recipientId } };
  if (addressProblem(channel, to) !== null || to.length > LONGEST_ADDRESS) return { kind: 'none' };
  return { kind: 'address', address: { tenant, channel, to } };
}

export type Answer = readonly Destination[] | AddressHealth | null;

/** Pure: the same answers make the same targets, in the same order. */
export function destined(page: readonly Target[], answers: readonly Answer[]): Destined {
  const targets: Target[] = [];
  const failures = new Map<Target, string>();
  for (const [at, target] of page.entries()) {
    const answer = answers[at] ?? null;
    if (answer === null) targets.push(target);
    else if (isList(answer)) expand(target, answer, { targets, failures });
    else {
      targets.push(target);
      if (answer.state !== 'usable') failures.set(target, `its address is ${wordsOf(answer)}`);
    }
  }
  return { targets, failures };
}

function expand(
  target: Target,
  all: readonly Destination[],
  { targets, failures }: { readonly targets: Target[]; readonly failures: Map<Target, string> },
): void {
  const meant = all.filter(({ id }) => target.destinationId === '' || target.destinationId === id);
  const usable = meant.filter(({ health }) => health.state === 'usable');
  for (const { id, to, data } of usable)
    targets.push(Object.freeze({ ...target, to, destinationId: id, data: Object.freeze({ ...data, ...target.data }) }));
  if (usable.length > 0) return;
  targets.push(target);
  failures.set(target, noneOf(target, meant));
}

function noneOf({ channel, destinationId }: Target, meant: readonly Destination[]): string {
  const what = destinationId === '' ? 'no destination' : 'no destination of this id';
  const [first] = meant;
  if (first === undefined) return `the recipient has ${what} on channel '${channel}'`;
  const others =
    meant.length === 1 ? 'its only destination' : `none of its ${meant.length} destinations can be used; the first`;
  return `${others} is ${wordsOf(first.health)}`;
}

function wordsOf({ state, since, reason }: Health): string {
  return `${state} since ${since === null ? 'unknown' : new Date(since).toISOString()}: ${reason ?? 'no reason given'}`;
}

function isList(answer: Exclude<Answer, null>): answer is readonly Destination[] {
  return Array.isArray(answer);
}
