import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressProblem, CHANNELS, normaliseAddress, toTarget, type Channel } from '../../src/index.ts';

describe('an address as identity', () => {
  test.each<[Channel, typed: string, identity: string]>([
    ['email', 'Ana.García@Example.ORG', 'ana.garcía@example.org'],
    ['email', '  ana@example.org ', 'ana@example.org'],
    ['email', 'ana+orders@example.org', 'ana+orders@example.org'],
    ['email', 'e\u0301ric@example.org', '\u00e9ric@example.org'],
    ['sms', '+49 (151) 234-5678', '+491512345678'],
    ['sms', '0049 151 2345678', '+491512345678'],
    ['whatsapp', '+49.151.2345678', '+491512345678'],
    ['slack', ' C024BE91L ', 'C024BE91L'],
    ['push', 'AbC:dEf', 'AbC:dEf'],
    ['webhook', 'https://Example.org/Hook', 'https://Example.org/Hook'],
  ])('on %s: %j is %j', (channel, typed, identity) => {
    expect(normaliseAddress(channel, typed)).toBe(identity);
  });

  test('is stable: normalising it again changes nothing', () => {
    const channels = fc.constantFrom(...CHANNELS);
    fc.assert(
      fc.property(channels, fc.string({ unit: 'grapheme' }), (channel, to) => {
        const once = normaliseAddress(channel, to);
        expect(normaliseAddress(channel, once)).toBe(once);
      }),
    );
  });
});

describe('an address that cannot work', () => {
  test.each<[Channel, unknown, RegExp]>([
    ['email', '', /empty/],
    ['email', '   ', /empty/],
    ['email', undefined, /empty/],
    ['email', null, /empty/],
    ['email', 42, /empty/],
    ['email', 'a@example.org\r\nBcc: b@example.org', /line break/],
    ['email', 'a\0@example.org', /line break or NUL/],
    ['email', 'example.org', /before and after an '@'/],
    ['email', '@example.org', /before and after an '@'/],
    ['email', 'a@', /not a domain name/],
    ['email', 'a@localhost', /not a domain name/],
    ['email', 'a@example..org', /not a domain name/],
    ['email', 'a@-example.org', /not a domain name/],
    ['email', 'a@example.org>', /not a domain name/],
    ['email', 'a b@example.org', /spaces/],
    ['email', 'a@b@example.org', /misplaced/],
    ['email', 'a..b@example.org', /misplaced/],
    ['email', '.a@example.org', /misplaced/],
    ['email', `${'a'.repeat(65)}@example.org`, /RFC 5321/],
    ['email', `${'é'.repeat(33)}@example.org`, /RFC 5321/],
    [
      'email',
      `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(20)}`,
      /RFC 5321/,
    ],
    ['sms', '12345', /E\.164/],
    ['sms', '+0491512345678', /E\.164/],
    ['sms', '+1234567890123456', /E\.164/],
    ['whatsapp', 'call me', /E\.164/],
    ['slack', '', /empty/],
  ])('on %s: %j', (channel, to, problem) => {
    expect(addressProblem(channel, to)).toMatch(problem);
  });

  test.each<[Channel, string]>([
    ['email', 'a@example.org'],
    ['email', "o'brien+tag@sub.example.co.uk"],
    ['email', '"odd @ local"@example.org'.replace(' @ ', '@')],
    ['email', 'jürgen@müller.de'],
    ['email', `${'a'.repeat(64)}@example.org`],
    ['sms', '+4915123456789'],
    ['sms', '0049 (151) 234-5678'],
    ['slack', '#general'],
    ['push', 'any-token'],
  ])('is not one of these, on %s: %j', (channel, to) => {
    expect(addressProblem(channel, to)).toBeNull();
  });
});

describe('a target', () => {
  test('is sent as typed and known by its normalised address', () => {
    expect(toTarget({ channel: 'email', to: 'Ana@Example.org', name: 'Ana' })).toEqual({
      channel: 'email',
      to: 'Ana@Example.org',
      recipientId: 'ana@example.org',
      destinationId: '',
      data: { name: 'Ana' },
    });
  });

  test('is known by the id that it was given', () => {
    const target = toTarget({ channel: 'push', to: 'token', id: 'user-7', destinationId: 'phone' });
    expect(target).toMatchObject({ recipientId: 'user-7', destinationId: 'phone', data: {} });
  });

  test.each([undefined, null, 42])('without an address (%j) is still a target: it fails alone, and visibly', (to) => {
    const target = toTarget({ channel: 'email', to: to as unknown as string });
    expect(addressProblem(target.channel, target.to)).toMatch(/empty/);
  });
});
