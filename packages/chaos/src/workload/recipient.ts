import type { Channel, TargetInput } from '@sendonce/core';
import { draw, hashText, pick } from '../kernel/draw.ts';
import { PEOPLE, WORDS } from './names.ts';

const PERSON = hashText('person');
const ADDRESS = hashText('address');

/** Recipient `number` of a seed: the same person whatever other recipients there are. No two share an address. */
export function seededTarget(seed: number, number: number, channel: Channel): TargetInput {
  const people = pick(draw(seed, PERSON, number, 0), PEOPLE);
  const first = pick(draw(seed, PERSON, number, 1), people.first);
  const last = pick(draw(seed, PERSON, number, 2), people.last);
  return {
    channel,
    to: addressOf(seed, number, channel, `${first}.${last}`),
    name: `${first} ${last}`,
    locale: people.locale,
  };
}

function addressOf(seed: number, number: number, channel: Channel, name: string): string {
  if (channel === 'email') return emailOf(seed, number, name);
  // A German mobile prefix that is kept for drama, and seven digits.
  if (channel === 'sms' || channel === 'whatsapp') return `+49171${String(number).padStart(8, '0')}`;
  return `${channel}-${number.toString(36)}`;
}

function emailOf(seed: number, number: number, name: string): string {
  const bits = draw(seed, ADDRESS, number, 0);
  const word = pick(draw(seed, ADDRESS, number, 1), WORDS);
  const tag = number.toString(36);
  // 64 octets before the @, and four for a letter at most: what is cut is only the tail of a long name.
  const local = partOf(name, bits);
  switch (bits & 7) {
    case 0:
      return `${local}+${tag}.${word}@${word}.example`;
    case 1:
      return `${local}.${tag}@mail.${word}.example`;
    case 2:
      return `${tag}@${word}.example`;
    case 3:
      return `${local.toLocaleUpperCase('en')}-${tag}@${word}.example`;
    case 4:
      return `${local}_${tag}@büro-${word}.example`;
    case 5:
      return `${'very.'.repeat(6)}long.${tag}@${'and.'.repeat(8)}${word}.example`;
    default:
      return `${local}.${tag}@${word}.example`;
  }
}

/** A name as the part before the @: kept in its script, or folded to plain letters as many systems do. */
function partOf(name: string, bits: number): string {
  const folded = (bits & 8) === 0 ? name : name.normalize('NFD').replace(/\p{M}/gu, '');
  return (
    folded
      .replace(/[^\p{L}\p{M}\p{N}.'-]+/gu, '.')
      .replace(/\.{2,}/g, '.')
      .slice(0, 12)
      .replace(/^\.|\.$/g, '') || 'x'
  );
}
