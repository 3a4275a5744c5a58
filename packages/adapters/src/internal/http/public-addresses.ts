import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Everything that is not for the public internet: this host, private and link-local networks, documentation, multicast, tunnels to them. */
const NOT_PUBLIC: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
];

const notPublic = new BlockList();
for (const [network, bits] of NOT_PUBLIC) notPublic.addSubnet(network, bits, isIP(network) === 6 ? 'ipv6' : 'ipv4');

/** A host whose address is not on the public internet. */
export class NotPublic extends Error {
  constructor(host: string) {
    super(`${host} is not an address on the public internet`);
    this.name = 'NotPublic';
  }
}

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !notPublic.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Resolves a name as Node does, and fails with `NotPublic` where any of its addresses is not public: the very addresses that are connected
 * to, so that a name which changes its mind between a check and the use of it gains nothing.
 */
export const publicLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, '');
    if (!addresses.every(({ address }) => isPublicAddress(address))) return done(new NotPublic(host), '');
    const first = addresses[0];
    if (options.all === true) return done(null, addresses);
    return first === undefined ? done(new NotPublic(host), '') : done(null, first.address, first.family);
  });
};
