import { addressProblem, normaliseAddress } from '../../model/address.ts';
import { NO_DATA } from '../../model/recipient.ts';
import {
  MOST_PER_RECIPIENT,
  type DestinationOwner,
  type RegisterRequest,
  type RegisterVerdict,
  type RemoveRequest,
  type RemoveVerdict,
} from '../../ports/destinations.ts';
import { addressOf, type Documents, type OwnerDocument, type Registration } from './documents.ts';

/** Removed registrations that are kept of one owner, for people: those removed last. */
const MOST_REMOVED = 20;

/** Decides on one registration. Pure but for `documents`, into which it is written. */
export function register(documents: Documents, request: RegisterRequest): RegisterVerdict {
  const { channel, recipientId, id, to, data = NO_DATA } = request;
  const problem = addressProblem(channel, to);
  if (problem !== null) return { kind: 'refused', reason: problem };
  const { now } = documents;
  const address = normaliseAddress(channel, to);
  const isOther = (each: Registration): boolean => each.id !== id && addressOf(channel, each) === address;
  const movedFrom = channel === 'push' ? takeFromOthers(documents, request) : null;
  removeWhere(documents, request, isOther);
  const known = active(documents.owner(request)).find((each) => each.id === id);
  const kind = known === undefined ? 'registered' : addressOf(channel, known) === address ? 'seen' : 'rotated';
  if (kind === 'rotated') letGo(documents, request, known!);
  const registeredAt = kind === 'seen' ? known!.registeredAt : now;
  const made: Registration = { id, to, data, registeredAt, seenAt: now, removedAt: null };
  const { registrations } = documents.owner(request);
  documents.putOwner(request, {
    registrations:
      known === undefined ? [...registrations, made] : registrations.map((each) => (each === known ? made : each)),
  });
  const of = documents.address(request);
  documents.putAddress({
    ...of,
    dead: null,
    registeredAt: now,
    holders: of.holders + (kind === 'seen' ? 0 : 1),
    owner: channel === 'push' ? recipientId : null,
  });
  makeRoom(documents, request, id);
  return { kind, revived: of.dead !== null, movedFrom };
}

export function remove(documents: Documents, request: RemoveRequest): RemoveVerdict {
  const { channel, id, to } = request;
  const isMeant = (each: Registration): boolean =>
    to === undefined ? each.id === id : addressOf(channel, each) === normaliseAddress(channel, to);
  return { kind: removeWhere(documents, request, isMeant) > 0 ? 'removed' : 'absent' };
}

/** Everything of one owner, and what is known of addresses that nobody else has. */
export function forget(documents: Documents, owner: DestinationOwner): number {
  const { registrations } = documents.owner(owner);
  removeWhere(documents, owner, () => true);
  for (const { to } of registrations) {
    const of = documents.address({ ...owner, to });
    if (of.holders === 0 && of.suppressed === null) documents.dropAddress(of);
  }
  documents.putOwner(owner, { registrations: [] });
  return registrations.length;
}

export function active({ registrations }: OwnerDocument): readonly Registration[] {
  return registrations.filter(({ removedAt }) => removedAt === null);
}

/** A phone that is passed on must not show the last person's messages. Answers whose it was. */
function takeFromOthers(documents: Documents, request: RegisterRequest): string | null {
  const { channel, recipientId, to } = request;
  const { owner } = documents.address(request);
  if (owner === null || owner === recipientId) return null;
  const address = normaliseAddress(channel, to);
  removeWhere(documents, { ...request, recipientId: owner }, (each) => addressOf(channel, each) === address);
  return owner;
}

function removeWhere(
  documents: Documents,
  owner: DestinationOwner,
  isMeant: (registration: Registration) => boolean,
): number {
  const document = documents.owner(owner);
  const leaving = new Set(active(document).filter(isMeant));
  if (leaving.size === 0) return 0;
  for (const each of leaving) letGo(documents, owner, each);
  const left = document.registrations.map((each) => (leaving.has(each) ? { ...each, removedAt: documents.now } : each));
  const removed = left.filter(({ removedAt }) => removedAt !== null);
  removed.sort((a, b) => (a.removedAt ?? 0) - (b.removedAt ?? 0));
  const tooOld = new Set(removed.slice(0, Math.max(0, removed.length - MOST_REMOVED)));
  documents.putOwner(owner, { registrations: left.filter((each) => !tooOld.has(each)) });
  return leaving.size;
}

/** One registration fewer has this address. */
function letGo(documents: Documents, owner: DestinationOwner, { to }: Registration): void {
  const of = documents.address({ ...owner, to });
  documents.putAddress({ ...of, holders: Math.max(0, of.holders - 1), owner: null });
}

/** An app that forgets its installation's id at every start must not fill the store. */
function makeRoom(documents: Documents, owner: DestinationOwner, kept: string): void {
  const all = active(documents.owner(owner));
  if (all.length <= MOST_PER_RECIPIENT) return;
  const others = all.filter(({ id }) => id !== kept);
  const oldest = others.reduce((least, each) => (each.seenAt < least.seenAt ? each : least));
  removeWhere(documents, owner, ({ id }) => id === oldest.id);
}
