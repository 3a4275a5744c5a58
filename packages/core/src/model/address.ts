import type { Channel } from './classes.ts';
import { LONGEST_ADDRESS } from '../ports/destinations.ts';
import { decodePunycode } from './punycode.ts';

/** Addresses there are ids of one word. A push address may be JSON, an inbox a name. */
const ID_CHANNELS: ReadonlySet<Channel> = new Set(['line', 'slack', 'webhook']);
const PHONE_CHANNELS: ReadonlySet<Channel> = new Set(['sms', 'whatsapp']);

/**
 * The address as identity: email in NFC and lower case with plus-tags kept and its domain in letters, not in punycode; phone without
 * punctuation; others as they are.
 */
export function normaliseAddress(channel: Channel, to: string): string {
  const trimmed = to.trim();
  if (channel === 'email') return emailIdentity(trimmed);
  if (PHONE_CHANNELS.has(channel)) return trimmed.replace(/[\s().-]/g, '').replace(/^00/, '+');
  return trimmed;
}

function emailIdentity(address: string): string {
  const folded = address.normalize('NFC').toLowerCase();
  if (!FOREIGN.test(folded)) return folded;
  const at = folded.lastIndexOf('@') + 1;
  if (at === 0) return folded;
  const domain = folded.slice(at).normalize('NFKC').toLowerCase().normalize('NFC');
  return folded.slice(0, at) + domain.split('.').map(inLetters).join('.');
}

/** What may have another form as a domain. */
const FOREIGN = /[^\p{ASCII}]|xn--/u;

/** A label `xn--...` in the letters that it stands for, where it is how these are written in ASCII: else it stays as it is. */
function inLetters(label: string): string {
  if (!label.startsWith('xn--')) return label;
  const letters = decodePunycode(label.slice(4)) ?? '';
  const isProper = LABEL.test(letters) && /[^\p{ASCII}]/u.test(letters) && !INVISIBLE.test(letters);
  return isProper && letters.normalize('NFKC').toLowerCase() === letters ? letters : label;
}

/**
 * Nothing that a person cannot see: control characters, marks that turn the direction of writing or have no width, halves of characters.
 * They make an address look like another one, or end a header.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** What nearly every e-mail address is: ASCII, no quotes. All that follows it is for the others. */
const PLAIN_EMAIL =
  /^(?=.{3,254}$)(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Why an address can never work on its channel, or null. Syntax only: whether it exists is the provider's to say. */
export function addressProblem(channel: Channel, to: unknown): string | null {
  if (typeof to !== 'string' || to.trim() === '') return 'the address is empty';
  if (channel === 'email' && PLAIN_EMAIL.test(to)) return null;
  // A line break in an address is header injection in the making.
  if (/[\r\n\0]/.test(to)) return 'the address contains a line break or NUL';
  const hidden = INVISIBLE.exec(to)?.[0];
  if (hidden !== undefined) return `the address contains an invisible character (${codeOf(hidden)})`;
  const address = to.trim();
  if (channel === 'email') return emailProblem(address);
  if (PHONE_CHANNELS.has(channel)) {
    // E.164: a plus, a country code that does not start with 0, at most 15 digits.
    return /^\+[1-9]\d{6,14}$/.test(normaliseAddress(channel, address))
      ? null
      : 'not a phone number in E.164 form (+4912345678)';
  }
  if (address.length > LONGEST_ADDRESS) return `longer than ${LONGEST_ADDRESS} characters`;
  if (ID_CHANNELS.has(channel) && /\s/.test(address)) return 'the address contains spaces';
  return null;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** One address and no more: RFC 5321 `local@domain`, with the letters of RFC 6531 beside ASCII. */
function emailProblem(address: string): string | null {
  const quoted = address.startsWith('"');
  const at = quoted ? endOfQuotes(address) : address.indexOf('@');
  if (at === null) return 'the quotes before the @ are not closed, or not followed by it';
  if (at < 1) return "an e-mail address needs something before and after an '@'";
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  // RFC 5321 4.5.3.1: local part 64 octets, path 256 with its angle brackets.
  if (Buffer.byteLength(local) > 64 || Buffer.byteLength(address) > 254)
    return 'longer than RFC 5321 allows (64 before the @, 254 in all)';
  return (quoted ? null : dotAtomProblem(local)) ?? domainProblem(domain);
}

/** A quoted part as RFC 5321 has it: what is inside may be anything visible, quotes and backslashes behind a backslash. */
const QUOTED = /^"(?:[^"\\]|\\[\x20-\x7e])*"(?=@)/u;

/** Where the @ after a quoted part is; null when the quotes are not closed there. */
function endOfQuotes(address: string): number | null {
  return QUOTED.exec(address)?.[0].length ?? null;
}

/** What may not stand before the @ without quotes: neither RFC 5322 `atext`, nor beyond ASCII; nor a space. */
const NO_ATOM = /[^A-Za-z0-9!#$%&'*+/=?^_`{|}~\P{ASCII}-]|\p{Z}/u;

function dotAtomProblem(local: string): string | null {
  if (/\s/.test(local)) return 'an e-mail address may not contain spaces';
  // As others may read it: a full-width comma separates addresses there, too.
  const atoms = local.normalize('NFKC').split('.');
  if (atoms.includes('')) return "misplaced '.' before the '@'";
  const wrong = NO_ATOM.exec(atoms.join(''))?.[0];
  return wrong === undefined ? null : `'${wrong}' may not stand before the '@' of one e-mail address`;
}

/** Letters of any script, digits and hyphens; not only digits at the end, which is an IP address. */
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

function domainProblem(domain: string): string | null {
  if (domain.includes('@')) return "misplaced '@': an e-mail address has one";
  if (/\s/.test(domain)) return 'an e-mail address may not contain spaces';
  const labels = domain.split('.');
  const isName = labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
  return isName ? null : `'${domain}' is not a domain name`;
}
