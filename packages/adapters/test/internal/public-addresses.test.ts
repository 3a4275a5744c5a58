import { describe, expect, test } from 'vitest';
import { isPublicAddress, NotPublic, publicLookup } from '../../src/internal/http/public-addresses.ts';

describe('an address', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.1.1',
    '11.0.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('is on the public internet: %s', (address) => expect(isPublicAddress(address)).toBe(true));

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.170',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'ff02::1',
    '2002:7f00:1::',
    'not-an-address',
    '',
  ])('is not: %s', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('a lookup', () => {
  test.each([{}, { all: true }])('fails for a name of this host, asked %j', async (options) => {
    const error = await new Promise((resolve) => publicLookup('localhost', options, resolve));
    expect(error).toBeInstanceOf(NotPublic);
  });

  test('says what the resolver says of a name that does not exist', async () => {
    const error = await new Promise((resolve) => publicLookup('hooks.invalid', {}, resolve));
    expect(error).not.toBeInstanceOf(NotPublic);
    expect(error).toBeInstanceOf(Error);
  });
});
