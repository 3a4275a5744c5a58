import type {
  AddressHealth,
  Destination,
  DestinationEvidence,
  DestinationOwner,
  Destinations,
  RegisterRequest,
} from '../../ports/destinations.ts';
import type { LawSubject } from '../contract.ts';

/** A fresh, empty store of destinations. */
export interface DestinationsSubject extends LawSubject {
  readonly destinations: Destinations;
}

export const OWNER: DestinationOwner = { tenant: 'default', channel: 'push', recipientId: 'ann' };
export const OTHER: DestinationOwner = { ...OWNER, recipientId: 'bob' };

export function phone(to: string, more: Partial<RegisterRequest> = {}): RegisterRequest {
  return { ...OWNER, id: 'phone', to, ...more };
}

export async function active(
  { destinations }: DestinationsSubject,
  owner: DestinationOwner = OWNER,
): Promise<readonly Destination[]> {
  return (await destinations.of([owner]))[0] ?? [];
}

/** The addresses, as one text. */
export async function told(subject: DestinationsSubject, owner: DestinationOwner = OWNER): Promise<string> {
  return (await active(subject, owner)).map(({ to }) => to).join(' ');
}

export async function healthOf({ destinations }: DestinationsSubject, to: string): Promise<AddressHealth> {
  const [health] = await destinations.health([{ ...OWNER, to }]);
  if (health === undefined) throw new Error('health answered nothing');
  return health;
}

/** The store's time, by what it writes down. */
export async function storeNow({ destinations }: DestinationsSubject): Promise<number> {
  const owner: DestinationOwner = { ...OWNER, recipientId: 'whoever asks for the time' };
  await destinations.register([{ ...owner, id: 'clock', to: 'clock' }]);
  const [found] = await destinations.of([owner]);
  return found?.[0]?.seenAt ?? 0;
}

/** Evidence from a moment that comes after all that was registered so far. */
export async function dead(
  subject: DestinationsSubject,
  to: string,
  more: Partial<DestinationEvidence> = {},
): Promise<DestinationEvidence> {
  await subject.elapse(subject.unitMs);
  return { ...OWNER, to, kind: 'dead', at: await storeNow(subject), provider: 'p', reason: 'unregistered', ...more };
}
