import { expect, test } from 'vitest';
import { namedUuid } from '../../src/internal/uuid.ts';

/** The namespace of domain names, RFC 9562, 6.6. */
const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

test('A.4 of RFC 9562 is the UUID of www.example.com', () => {
  expect(namedUuid(DNS, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
});

test('a name makes the same UUID each time, and another name another one', () => {
  expect(namedUuid(DNS, 'k_1')).toBe(namedUuid(DNS, 'k_1'));
  expect(namedUuid(DNS, 'k_1')).not.toBe(namedUuid(DNS, 'k_2'));
});
