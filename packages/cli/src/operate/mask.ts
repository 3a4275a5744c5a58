import type { Target } from '@sendonce/core';

/** Stands in the place of what is not shown. */
export const HIDDEN = '…';

const EMAIL = /[^\s<>"'(),;:@]+@[^\s<>"'(),;@]+\.[^\s<>"'(),;@]+/gu;
const PHONE = /\+\d[\d\s().-]{5,}\d/g;

/** What shows personal data, or does not. */
export interface Masks {
  /** Where one goes. */
  readonly address: (to: string) => string;
  /** Who it is for: an id of the user's own as it is, an address as an address. */
  readonly recipient: (target: Target) => string;
  /** A reason or subject, which may repeat an address. */
  readonly text: (text: string, target?: Target) => string;
  readonly areShown: boolean;
}

/** Addresses as they are with `show`, else so that whoever knows them recognises them: `a…@example.com`, `+49…78`. */
export function masks(show: boolean): Masks {
  const same = (text: string): string => text;
  if (show) return { address: same, recipient: ({ recipientId }) => recipientId, text: same, areShown: true };
  return {
    address: masked,
    recipient: ({ recipientId, to }) =>
      recipientId === to || maskedText(recipientId) !== recipientId ? masked(recipientId) : recipientId,
    text: (text, target) => maskedText(target === undefined ? text : withoutOwn(text, target)),
    areShown: false,
  };
}

function masked(address: string): string {
  const at = address.lastIndexOf('@');
  if (at > 0) return `${[...address][0]}${HIDDEN}${address.slice(at)}`;
  if (/^\+?\d[\d\s().-]{5,}$/.test(address)) return `${address.slice(0, 3)}${HIDDEN}${address.slice(-2)}`;
  const host = /^(https?:\/\/[^/?#]+)/.exec(address)?.[1];
  if (host !== undefined) return `${host}/${HIDDEN}`;
  if (address === '') return '(empty)';
  // Ids and tokens of one service begin alike, and differ in their ends.
  const letters = [...address];
  const shown = Math.floor(Math.min(2, letters.length / 3));
  return `${letters.slice(0, shown).join('')}${HIDDEN}${letters.length < 2 ? '' : letters.slice(-Math.max(1, shown)).join('')}`;
}

function maskedText(text: string): string {
  return withAddresses(text, masked);
}

/** A text with something in the place of each address in it. */
export function withAddresses(text: string, replaced: (address: string) => string): string {
  return text.replace(EMAIL, replaced).replace(PHONE, replaced);
}

function withoutOwn(text: string, { to, recipientId }: Target): string {
  // An id of the user's own is no secret; and anything as short is a word that may mean something else.
  const own = [to, ...(recipientId.toLowerCase() === to.toLowerCase() ? [recipientId] : [])];
  return own.reduce((left, each) => (each.length > 4 ? left.replaceAll(each, masked(each)) : left), text);
}
