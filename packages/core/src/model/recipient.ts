import type { Channel } from './classes.ts';

/** Where one message goes: one recipient on one channel (on push: one device). */
export interface Target {
  readonly channel: Channel;
  /** The address exactly as typed; it is sent as typed. */
  readonly to: string;
  /** Who: the given id, else the normalised address. */
  readonly recipientId: string;
  /** '' unless the recipient has several destinations on the channel. */
  readonly destinationId: string;
  /** What the content function may use: name, locale, anything JSON. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A target as a route function or a caller writes it. */
export interface TargetInput {
  readonly channel: Channel;
  readonly to: string;
  /** Stable id of the person; default: the normalised address. */
  readonly id?: string;
  readonly destinationId?: string;
  readonly [field: string]: unknown;
}

const PHONE_CHANNELS: ReadonlySet<Channel> = new Set(['sms', 'whatsapp']);

/** The address as identity: email in NFC and lower case with plus-tags kept, phone without punctuation, others as they are. */
export function normaliseAddress(channel: Channel, to: string): string {
  const trimmed = to.trim();
  if (channel === 'email') return trimmed.normalize('NFC').toLowerCase();
  if (PHONE_CHANNELS.has(channel)) return trimmed.replace(/[\s().-]/g, '').replace(/^00/, '+');
  return trimmed;
}

/** Why an address can never work on its channel, or null. Syntax only: whether it exists is the provider's to say. */
export function addressProblem(channel: Channel, to: unknown): string | null {
  if (typeof to !== 'string' || to.trim() === '') return 'the address is empty';
  // A line break in an address is header injection in the making.
  if (/[\r\n\0]/.test(to)) return 'the address contains a line break or NUL';
  const address = to.trim();
  if (channel === 'email') return emailProblem(address);
  if (PHONE_CHANNELS.has(channel)) {
    // E.164: a plus, a country code that does not start with 0, at most 15 digits.
    return /^\+[1-9]\d{6,14}$/.test(normaliseAddress(channel, address))
      ? null
      : 'not a phone number in E.164 form (+4912345678)';
  }
  return null;
}

function emailProblem(address: string): string | null {
  const at = address.lastIndexOf('@');
  if (at < 1) return "an e-mail address needs something before and after an '@'";
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  // RFC 5321 4.5.3.1: local part 64 octets, path 256 with its angle brackets.
  if (Buffer.byteLength(local) > 64 || Buffer.byteLength(address) > 254)
    return 'longer than RFC 5321 allows (64 before the @, 254 in all)';
  if (/\s/.test(address)) return 'an e-mail address may not contain spaces';
  if (
    !local.startsWith('"') &&
    (local.includes('@') || local.includes('..') || local.startsWith('.') || local.endsWith('.'))
  )
    return "misplaced '@' or '.' before the last '@'";
  const labels = domain.split('.');
  if (labels.length < 2 || labels.some((label) => label === '' || label.startsWith('-') || label.endsWith('-')))
    return `'${domain}' is not a domain name`;
  if (/[<>()[\],;:\\"]/.test(domain)) return `'${domain}' is not a domain name`;
  return null;
}

/** The target with its identity filled in. */
export function toTarget(input: TargetInput): Target {
  const { channel, to: given, id, destinationId, ...data } = input;
  // A missing address (a contact without e-mail) fails alone at fan-out; it must not fail everybody's route.
  const to = typeof given === 'string' ? given : '';
  return { channel, to, recipientId: id ?? normaliseAddress(channel, to), destinationId: destinationId ?? '', data };
}
