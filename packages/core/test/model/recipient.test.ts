import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressProblem, CHANNELS, normaliseAddress, toTarget, type Channel } from '../../src/index.ts';

describe('an address as identity', () => {
  test.each<[Channel, typed: string, identity: string]>([
    ['email', 'Ana.García@Example.ORG', 'ana.garcía@example.org'],
    ['email', '  ana@example.org ', 'ana@example.org'],
    ['email', 'ana+orders@example.org', 'ana+orders@example.org'],
    ['email', 'e\u0301ric@example.org', '\u00e9ric@example.org'],
    // A domain in letters and in punycode is one, in whatever case, composed or not, in whatever width.
    ['email', 'Müller@BÜCHER.de', 'müller@bücher.de'],
    ['email', 'müller@xn--bcher-kva.de', 'müller@bücher.de'],
    ['email', 'MÜLLER@XN--BCHER-KVA.DE', 'müller@bücher.de'],
    ['email', 'mu\u0308ller@bu\u0308cher.de', 'müller@bücher.de'],
    ['email', 'a@\uff45xample.org', 'a@example.org'],
    ['email', '用户@xn--fsqu00a.xn--4rr70v', '用户@例子.广告'],
    ['email', '用户@例子.广告', '用户@例子.广告'],
    ['email', 'a@xn--d1acpjx3f.xn--p1ai', 'a@яндекс.рф'],
    ['email', 'a@xn--strae-oqa.de', 'a@straße.de'],
    ['email', 'a@strasse.de', 'a@strasse.de'],
    ['email', 'a@shop.xn--bcher-kva.example', 'a@shop.bücher.example'],
    // What is no punycode, or of what nobody writes so, stays.
    ['email', 'a@xn--abc-.de', 'a@xn--abc-.de'],
    ['email', 'a@xn--bcher-kv!.de', 'a@xn--bcher-kv!.de'],
    ['email', 'a@xn--99999999999.de', 'a@xn--99999999999.de'],
    ['email', 'a@xn--Bcher-kva8445f.de', 'a@xn--bcher-kva8445f.de'],
    ['email', 'xn--bcher-kva@example.org', 'xn--bcher-kva@example.org'],
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
    // One address and no more: what another reader could take for a list is none.
    ['email', '"a"@evil.example.co,b@example.org', /misplaced '@'/],
    ['email', 'a,b@example.org', /',' may not stand before/],
    ['email', 'a;b@example.org', /';' may not stand before/],
    ['email', 'a\uff0cb@example.org', /',' may not stand before/],
    ['email', 'a\uff20b@example.org', /'@' may not stand before/],
    ['email', 'Ana <a@example.org>', /spaces/],
    ['email', '<a@example.org>', /'<' may not stand before/],
    ['email', '"a@example.org', /quotes before the @ are not closed/],
    ['email', '"a"b@example.org', /quotes before the @ are not closed/],
    ['email', '"a"', /quotes before the @ are not closed/],
    ['email', '"a\\"@example.org', /quotes before the @ are not closed/],
    ['email', 'a"b@example.org', /'"' may not stand before/],
    ['email', 'a(b)@example.org', /'\(' may not stand before/],
    ['email', 'a\\b@example.org', /may not stand before/],
    ['email', 'a@example.org,b', /not a domain name/],
    ['email', 'a@[127.0.0.1]', /not a domain name/],
    ['email', 'a@127.0.0.1', /not a domain name/],
    ['email', 'a@exa_mple.org', /not a domain name/],
    ['email', `a@${'b'.repeat(64)}.org`, /not a domain name/],
    ['email', 'a@exam ple.org', /spaces/],
    ['email', 'a\u3000b@example.org', /spaces/],
    // What nobody sees.
    ['email', 'a\tb@example.org', /invisible character \(U\+0009\)/],
    ['email', 'a\x7f@example.org', /U\+007F/],
    ['email', 'a\x85@example.org', /U\+0085/],
    ['email', 'a\u200b@example.org', /U\+200B/],
    ['email', '\u202egro.elpmaxe@a@example.org', /U\+202E/],
    ['email', 'a\u2066@example.org', /U\+2066/],
    ['email', '\ufeffa@example.org', /U\+FEFF/],
    ['email', 'a\u00ad@example.org', /U\+00AD/],
    ['email', 'a\u3164@example.org', /U\+3164/],
    ['email', 'a\u2028@example.org', /U\+2028/],
    ['email', 'a@ex\u200bample.org', /U\+200B/],
    ['email', 'a\ud800@example.org', /U\+D800/],
    ['sms', '+49151\u200b23456789', /U\+200B/],
    ['sms', '+4915123456789,+4915123456780', /E\.164/],
    ['sms', '+4915123456789 +4915123456780', /E\.164/],
    ['sms', '+4915123456789;ext=1', /E\.164/],
    ['sms', '+\u0664\u0669151234567', /E\.164/],
    ['slack', '#gen\u202eeral', /U\+202E/],
    ['push', 'tok\u0007en', /U\+0007/],
    ['webhook', 'https://example.org/\u200b', /U\+200B/],
    ['sms', '12345', /E\.164/],
    ['sms', '+0491512345678', /E\.164/],
    ['sms', '+1234567890123456', /E\.164/],
    ['whatsapp', 'call me', /E\.164/],
    ['slack', '', /empty/],
    ['sms', 'ann@example.org', /E\.164/],
    ['sms', '0171 1234567', /E\.164/],
    ['whatsapp', '+49 151 abc', /E\.164/],
    ['email', '+4915123456789', /before and after an '@'/],
    ['email', 'a@xn--bcher\u200b-kva.de', /U\+200B/],
    ['email', 'a@b\u00fccher\u202e.de', /U\+202E/],
    ['email', '\u200fa@example.org', /U\+200F/],
    ...(['push', 'line', 'slack', 'in-app', 'webhook'] as const).flatMap((channel): [Channel, unknown, RegExp][] => [
      [channel, '', /empty/],
      [channel, ' \t ', /empty/],
      [channel, 7, /empty/],
      [channel, 'a\nb', /line break/],
      [channel, 'a\0b', /line break or NUL/],
      [channel, 'a\u001bb', /U\+001B/],
      [channel, 'a\u200bb', /U\+200B/],
      [channel, 'a\u202eb', /U\+202E/],
      [channel, 'x'.repeat(8_193), /longer than 8192/],
    ]),
    ...(['line', 'slack', 'webhook'] as const).map((channel): [Channel, unknown, RegExp] => [channel, 'a b', /spaces/]),
  ])('on %s: %j', (channel, to, problem) => {
    expect(addressProblem(channel, to)).toMatch(problem);
  });

  test.each<[Channel, string]>([
    ['email', 'a@example.org'],
    ['email', "o'brien+tag@sub.example.co.uk"],
    ['email', '"odd @ local"@example.org'.replace(' @ ', '@')],
    ['email', 'jürgen@müller.de'],
    ['email', '用户@例え.テスト'],
    ['email', 'δοκιμή@παράδειγμα.δοκιμή'],
    ['email', 'उपयोगकर्ता@उदाहरण.कॉम'],
    ['email', 'a@xn--mller-kva.de'],
    ['email', '"a b, c"@example.org'],
    ['email', '"a\\"b\\\\"@example.org'],
    ['email', '"@"@example.org'],
    ['email', "!#$%&'*+/=?^_`{|}~-@example.org"],
    ['email', 'a@1.example.org'],
    ['email', 'a@example.1a'],
    ['email', `a@${'b'.repeat(63)}.org`],
    ['email', ' ana@example.org '],
    ['email', `${'a'.repeat(64)}@example.org`],
    ['sms', '+4915123456789'],
    ['sms', '0049 (151) 234-5678'],
    ['slack', '#general'],
    ['push', 'any-token'],
    ['push', '{ "endpoint": "https://push.example.org/x" }'],
    ['push', 'x'.repeat(8_192)],
    ['in-app', 'Ann of accounts'],
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
    expect(target.problem).toBeUndefined();
  });

  test('shares nothing with what was given, and cannot be changed', () => {
    const given = { channel: 'email' as const, to: 'a@example.org', tags: ['x'], at: new Date(0) };
    const target = toTarget(given);
    given.to = 'evil@example.org';
    given.tags.push('y');
    expect(target).toMatchObject({ to: 'a@example.org', data: { tags: ['x'], at: '1970-01-01T00:00:00.000Z' } });
    for (const each of [target, target.data, target.data['tags']]) expect(Object.isFrozen(each)).toBe(true);
  });

  test.each<[what: string, id: string | null | undefined]>([
    ['null', null],
    ['undefined', undefined],
  ])('whose id is %s is known by its address', (_what, id) => {
    expect(toTarget({ channel: 'email', to: 'a@example.org', id: id as never }).recipientId).toBe('a@example.org');
  });
});

const circular: Record<string, unknown> = {};
circular['self'] = circular;
const ana = { channel: 'email', to: 'secret@example.org' };

describe('a target that cannot be used', () => {
  const CASES: readonly (readonly [what: string, given: unknown, problem: RegExp])[] = [
    ['null', null, /^a target must be an object \{ channel, to \}, got null$/],
    ['nothing', undefined, /got undefined$/],
    ['an address alone', 'secret@example.org', /got a text of 18$/],
    ['a number', 7, /got a number$/],
    ['a list', ['email', 'secret@example.org'], /got a list$/],
    ['a function', () => ana, /got a function$/],
    ['no channel', { to: 'secret@example.org' }, /^channel must be one of email, .*, got undefined$/],
    ['a channel that is a number', { ...ana, channel: 3 }, /^channel must be .*got a number$/],
    ['an id that is a number', { ...ana, id: 7 }, /^id must be a text of 1 to 512 characters, got a number$/],
    ['an id that is a bigint', { ...ana, id: 7n }, /^id must be .*got a bigint$/],
    ['an empty id', { ...ana, id: '' }, /^id must be .*got an empty text$/],
    ['an endless id', { ...ana, id: 'x'.repeat(513) }, /^id must be .*got a text of 513$/],
    ['an id that is an object', { ...ana, id: {} }, /^id must be .*got an object$/],
    ['a destination that is a number', { ...ana, destinationId: 5 }, /^destinationId must be .*got a number$/],
    ['a bigint in its data', { ...ana, total: 1n }, /^target\.total is a bigint/],
    ['a cycle in its data', { ...ana, me: circular }, /^target\.me\.self is a circular reference$/],
    ['a function in its data', { ...ana, greet: () => 1 }, /^target\.greet is a function$/],
    ['a Map in its data', { ...ana, map: new Map() }, /^target\.map is a Map/],
    [
      'data that throw',
      {
        ...ana,
        x: {
          toJSON: () => {
            throw new Error('no');
          },
        },
      },
      /^its data could not be read: Error: no$/,
    ],
    [
      'a field that throws',
      {
        ...ana,
        get name(): string {
          throw new Error('no');
        },
      },
      /^it could not be read: Error: no$/,
    ],
    ['a proxy that refuses everything', Proxy.revocable({}, {}), /./],
  ];

  test.each(CASES)('because of %s says so, and never what was in it', (_what, given, problem) => {
    const target = toTarget(given as never);
    expect(target.problem).toMatch(problem);
    expect(target.problem).not.toContain('secret');
    // Every store can keep it, and it takes nobody's place.
    expect(JSON.parse(JSON.stringify(target))).toEqual(target);
    expect(target.recipientId).not.toBe(toTarget(ana as never).recipientId);
    expect(target.recipientId.startsWith('unusable')).toBe(true);
  });

  test('is told apart from the others', () => {
    const ids = [7, 8, 7n].map((id) => toTarget({ ...ana, id } as never).recipientId);
    expect(new Set(ids).size).toBe(3);
  });
});
