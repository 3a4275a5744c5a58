import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deliveryId, fingerprint, kindOf, notificationId, providerKey } from '../../src/index.ts';
import { canonicalJson, type DeliveryIdentity } from '../../src/model/keys.ts';

const identity: DeliveryIdentity = {
  notificationId: 'n_1',
  recipientId: 'a@example.org',
  channel: 'push',
  destinationId: 'device-1',
  generation: 0,
};

describe('an id of ours', () => {
  test('is the same for ever: these are stored in ledgers and at providers', () => {
    expect(notificationId('default', 'order', 'o-1')).toBe('n_KfOgMUg1X976-tnWPzPo2q');
    expect(deliveryId(identity)).toBe('d_UPSUxwlKf7TkSYvMcZhXB7');
    expect(providerKey('d_1', 'p0')).toBe('k_EUbRRyteCgj-BeBl2jwQaL');
    expect(fingerprint({ a: 1 })).toBe('f_76Dxjz_JacdVh1AQBTlWmG');
  });

  test.each([
    { part: 'notificationId', other: { notificationId: 'n_2' } },
    { part: 'recipientId', other: { recipientId: 'A@example.org' } },
    { part: 'channel', other: { channel: 'sms' as const } },
    { part: 'destinationId', other: { destinationId: '' } },
    { part: 'generation', other: { generation: 1 } },
  ])('of a delivery differs when its $part does', ({ other }) => {
    expect(deliveryId({ ...identity, ...other })).not.toBe(deliveryId(identity));
  });

  test('keeps its parts apart wherever the border between them lies', () => {
    const parts = fc.tuple(fc.string(), fc.string(), fc.string());
    fc.assert(
      fc.property(parts, parts, (one, two) => {
        fc.pre(one.join('\0') !== two.join('\0'));
        expect(notificationId(...one)).not.toBe(notificationId(...two));
      }),
    );
    expect(notificationId('ab', 'c', 'd')).not.toBe(notificationId('a', 'bc', 'd'));
    expect(notificationId('1:a', '', 'b')).not.toBe(notificationId('', '1:a', 'b'));
  });

  test('says what it is about', () => {
    expect(kindOf(notificationId('t', 'u', 'k'))).toBe('notification');
    expect(kindOf(deliveryId(identity))).toBe('delivery');
  });

  test('of a provider key fits the shortest key field that providers offer', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (id, name) => {
        expect(providerKey(id, name)).toMatch(/^k_[\w-]{22}$/);
      }),
    );
  });
});

describe('a fingerprint', () => {
  test('does not depend on the order of object keys, at any depth', () => {
    expect(fingerprint({ a: { x: 1, y: [1, 2] }, b: 2 })).toBe(fingerprint({ b: 2, a: { y: [1, 2], x: 1 } }));
  });

  test.each([
    { one: [1, 2], two: [2, 1] },
    { one: { a: 1 }, two: { a: '1' } },
    { one: null, two: {} },
    { one: { a: { b: 1 } }, two: { a: { b: 2 } } },
  ])('tells $one from $two', ({ one, two }) => {
    expect(fingerprint(one)).not.toBe(fingerprint(two));
  });

  test('is made of canonical JSON that parses to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(json));
        expect(canonicalJson(JSON.parse(json))).toBe(canonicalJson(value));
      }),
    );
  });

  test('of what JSON cannot hold is an error', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => fingerprint(cycle)).toThrow();
    expect(() => fingerprint(1n)).toThrow();
  });
});
