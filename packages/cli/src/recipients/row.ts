import { CHANNELS, type AddressRules, type Channel, type TargetInput } from '@sendonce/core';
import { checkedAddress } from '@sendonce/core/internal';
import { unknownAmong } from '../nearest.ts';

/** One row of a recipients file: somebody to write to, or the reason why not. */
export type RecipientRow =
  | { readonly kind: 'recipient'; readonly line: number; readonly input: TargetInput }
  | { readonly kind: 'invalid'; readonly line: number; readonly reason: string };

/** The columns that hold an address; each row needs one of them. */
export const ADDRESS_COLUMNS = ['to', 'email', 'phone'] as const;
const RESERVED: ReadonlySet<string> = new Set([...ADDRESS_COLUMNS, 'channel', 'id', 'destinationId']);

/** Makes the row of its named fields. Fields that mean nothing to us become the recipient's data. */
export function rowOf(line: number, fields: Readonly<Record<string, unknown>>, rules: AddressRules = {}): RecipientRow {
  const invalid = (reason: string): RecipientRow => ({ kind: 'invalid', line, reason });
  const mistyped = ['channel', 'id', 'destinationId', ...ADDRESS_COLUMNS].find(
    (name) => isGiven(fields[name]) && typeof fields[name] !== 'string',
  );
  if (mistyped !== undefined) return invalid(`'${mistyped}' is not a text but ${JSON.stringify(fields[mistyped])}`);
  const address = addressOf(fields as Readonly<Record<string, string | null | undefined>>);
  if (typeof address === 'string') return invalid(address);
  const verdict = checkedAddress(rules, address.channel, address.to);
  if (verdict.kind === 'unusable') return invalid(`${JSON.stringify(address.to)}: ${verdict.problem}`);
  return { kind: 'recipient', line, input: { ...dataOf(fields), ...identityOf(fields), ...address } };
}

type Texts = Readonly<Record<string, string | null | undefined>>;

function addressOf(fields: Texts): { readonly channel: Channel; readonly to: string } | string {
  const { to, email, phone, channel } = fields;
  const given = channel?.trim() ?? '';
  if (given !== '' && !isChannel(given)) return `channel ${JSON.stringify(given)} is ${unknownAmong(given, CHANNELS)}`;
  if (given === '') {
    if (isGiven(to)) return { channel: looksLikePhone(to) ? 'sms' : 'email', to };
    if (isGiven(email)) return { channel: 'email', to: email };
    return isGiven(phone) ? { channel: 'sms', to: phone } : 'the address is empty';
  }
  const named = given === 'email' ? email : given === 'sms' || given === 'whatsapp' ? phone : null;
  const chosen = isGiven(to) ? to : named;
  return isGiven(chosen) ? { channel: given, to: chosen } : `no address for channel ${given}`;
}

function looksLikePhone(to: string): boolean {
  return !to.includes('@') && /^\s*(\+|00)[\d\s().-]+$/.test(to);
}

function identityOf({ id, destinationId }: Readonly<Record<string, unknown>>): { id?: string; destinationId?: string } {
  return {
    ...(isGiven(id) ? { id: id as string } : {}),
    ...(isGiven(destinationId) ? { destinationId: destinationId as string } : {}),
  };
}

function dataOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !RESERVED.has(name) && isGiven(value)));
}

function isGiven<T>(value: T | null | undefined | ''): value is T & {} {
  return value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '');
}

function isChannel(name: string): name is Channel {
  return (CHANNELS as readonly string[]).includes(name);
}
