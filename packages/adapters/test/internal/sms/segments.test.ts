import { expect, test } from 'vitest';
import { segmentsOf } from '../../../src/internal/sms/segments.ts';

const family = '👨‍👩‍👧';

test.each<[what: string, text: string, encoding: 'GSM-7' | 'UCS-2', units: number, segments: number]>([
  ['a word', 'Hello', 'GSM-7', 5, 1],
  ['all that one message holds', 'a'.repeat(160), 'GSM-7', 160, 1],
  ['one letter more', 'a'.repeat(161), 'GSM-7', 161, 2],
  ['two full parts', 'a'.repeat(306), 'GSM-7', 306, 2],
  ['two full parts and a letter', 'a'.repeat(307), 'GSM-7', 307, 3],
  ['the default alphabet', '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ ¤¡ÄÖÑÜ§¿äöñüà', 'GSM-7', 45, 1],
  ['the extension table, twice each', '\f^{}\\[~]|€', 'GSM-7', 20, 1],
  ['80 euro signs', '€'.repeat(80), 'GSM-7', 160, 1],
  ['81 euro signs', '€'.repeat(81), 'GSM-7', 162, 2],
  // 76 of them are 152 septets; the 153rd septet stays empty.
  ['an escape that would be parted', '€'.repeat(153), 'GSM-7', 306, 3],
  ['a small c with cedilla', 'ça va', 'UCS-2', 5, 1],
  ['70 letters of another script', 'ש'.repeat(70), 'UCS-2', 70, 1],
  ['71 letters of another script', 'ש'.repeat(71), 'UCS-2', 71, 2],
  ['134 letters of another script', 'ש'.repeat(134), 'UCS-2', 134, 2],
  ['135 letters of another script', 'ש'.repeat(135), 'UCS-2', 135, 3],
  ['one quotation mark of a word processor', `${'a'.repeat(70)}’`, 'UCS-2', 71, 2],
  ['an emoji', '😀', 'UCS-2', 2, 1],
  ['35 emoji', '😀'.repeat(35), 'UCS-2', 70, 1],
  ['36 emoji', '😀'.repeat(36), 'UCS-2', 72, 2],
  // 33 of them are 66 units; half of the 34th would fit.
  ['an emoji that would be parted', '😀'.repeat(67), 'UCS-2', 134, 3],
  ['a family of five characters', family, 'UCS-2', 8, 1],
])('%s', (_what, text, encoding, units, segments) => {
  expect(segmentsOf(text)).toEqual({ encoding, units, segments });
});
