import type { Channel, TargetInput } from '@sendonce/core';
import { draw, hashText, pick } from '../kernel/draw.ts';
import { PEOPLE, WORDS } from './names.ts';

const PERSON = hashText('person');
const ADDRESS = hashText('address');
const LONG = `${'very.'.repeat(9)}long`;
const FAR = 'and.'.repeat(8);

interface Person {
  readonly first: string;
  readonly last: string;
}

/** Recipient `number` of a seed: the same person whatever other recipients there are. No two share an address. */
export function seededTarget(seed: number, number: number, channel: Channel): TargetInput & { readonly to: string } {
  const to = channel === 'email' ? emailOf(seed, number, personOf(seed, number)) : addressOf(number, channel);
  return { channel, to, number };
}

/** What the recipient is called. Not part of the target: a million names need not be stored that a number leads to. */
export function nameOf(seed: number, number: number): string {
  const { first, last } = personOf(seed, number);
  return `${first} ${last}`;
}

function personOf(seed: number, number: number): Person {
  const { first, last } = pick(draw(seed, PERSON, number, 0), PEOPLE);
  return { first: pick(draw(seed, PERSON, number, 1), first), last: pick(draw(seed, PERSON, number, 2), last) };
}

function addressOf(number: number, channel: Channel): string {
  // A German mobile prefix, and eight digits.
  if (channel === 'sms' || channel === 'whatsapp') return `+49171${String(number).padStart(8, '0')}`;
  return `${channel}-${number.toString(36)}`;
}

function emailOf(seed: number, number: number, { first, last }: Person): string {
  const bits = draw(seed, ADDRESS, number, 0);
  const word = pick(draw(seed, ADDRESS, number, 1), WORDS);
  const tag = number.toString(36);
  const isFolded = (bits & 8) === 0;
  // 64 octets before the @, and up to four for a letter.
  const local = `${partOf(first, isFolded).slice(0, 6)}.${partOf(last, isFolded).slice(0, 6)}`;
  switch (bits & 7) {
    case 0:
      return `${local}+${tag}.${word}@${word}.example`;
    case 1:
      return `${local}.${tag}@mail.${word}.example`;
    case 2:
      return `${tag}@${word}.example`;
    case 3:
      return `${local.toUpperCase()}-${tag}@${word}.example`;
    case 4:
      return `${local}_${tag}@büro-${word}.example`;
    case 5:
      return `${LONG}.${tag}@${FAR}${word}.example`;
    default:
      return `${local}.${tag}@${word}.example`;
  }
}

const PARTS = [new Map<string, string>(), new Map<string, string>()] as const;

/** A name as a part of an address: kept in its script, or folded to plain letters as many systems do. Names repeat, so it is kept. */
function partOf(name: string, isFolded: boolean): string {
  const parts = PARTS[isFolded ? 1 : 0];
  let part = parts.get(name);
  if (part === undefined) {
    const letters = isFolded ? name.normalize('NFD').replace(/\p{M}/gu, '') : name;
    part = letters.replace(/[^\p{L}\p{M}\p{N}]+/gu, '') || 'x';
    parts.set(name, part);
  }
  return part;
}
