import type { AddressHealth, Channel, Destination, DestinationOwner, Destinations, Health } from '@sendonce/core';
import { draw, hashText } from '../kernel/draw.ts';
import { seededTarget } from '../workload/recipient.ts';

const DEVICE = hashText('device');
const USABLE: Health = { state: 'usable', since: null, reason: null };
/** Telephone numbers have eight digits of their own. */
const NUMBERS = 100_000_000;
/** Of a token: 64 hexadecimal digits, which every service that has a form of its own for tokens takes. */
const TOKEN_PARTS = 8;

/**
 * What a recipient has in a virtual world, whoever it is and whenever it is asked: one address, on `push` one device or two. It depends on
 * the seed and the recipient alone, so that a page that is expanded again has the same targets, whatever happened meanwhile.
 */
export function destinationsOf(
  seed: number,
  { tenant, channel, recipientId }: DestinationOwner,
): readonly Destination[] {
  const owner = hashText(JSON.stringify([tenant, channel, recipientId]));
  const count = channel === 'push' ? 1 + (draw(seed, DEVICE, owner, 0) & 1) : 1;
  return Array.from({ length: count }, (_, i) => ({
    id: `d${i + 1}`,
    to: channel === 'push' ? tokenOf(seed, owner, i) : seededTarget(seed, owner % NUMBERS, channel).to,
    data: {},
    registeredAt: 0,
    seenAt: 0,
    removedAt: null,
    health: USABLE,
  }));
}

function tokenOf(seed: number, owner: number, nth: number): string {
  const part = (_: unknown, i: number): string =>
    draw(seed, DEVICE, owner, 1 + nth * TOKEN_PARTS + i)
      .toString(16)
      .padStart(8, '0');
  return Array.from({ length: TOKEN_PARTS }, part).join('');
}

/**
 * A store in place of the user's own, which a run never calls. Every address is usable: what providers say of it is heard, and changes
 * nothing, since what a run asks for must not depend on what has happened in it.
 */
export function virtualDestinations(seed: number): Destinations {
  const inTurn =
    <Item, Answer>(answer: (item: Item) => Answer) =>
    (items: readonly Item[]): Promise<readonly Answer[]> =>
      Promise.resolve(items.map(answer));
  return {
    of: inTurn((owner: DestinationOwner) => destinationsOf(seed, owner)),
    health: inTurn(healthOf),
    register: inTurn(() => ({ kind: 'seen' as const, revived: false, movedFrom: null })),
    remove: inTurn(() => ({ kind: 'absent' as const })),
    report: inTurn(() => ({ kind: 'noted' as const })),
    suppress: inTurn(() => ({ kind: 'unchanged' as const })),
    list: () => Promise.resolve({ addresses: [], next: null }),
    forget: inTurn(() => 0),
    close: () => Promise.resolve(),
  };
}

function healthOf(of: { readonly tenant: string; readonly channel: Channel; readonly to: string }): AddressHealth {
  const { tenant, channel, to } = of;
  return { tenant, channel, address: to, ...USABLE, registeredAt: null, evidence: [] };
}
