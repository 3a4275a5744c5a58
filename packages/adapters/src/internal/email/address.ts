import { domainToASCII } from 'node:url';
import { addressProblem, SendonceError } from '@sendonce/core';
import { isFields, type Rule } from '@sendonce/core/internal';
import type { Rejection } from '../rejection.ts';

export interface EmailAddress {
  readonly name: string;
  readonly address: string;
}

/** A sender among options; what is wrong with it otherwise, `senderOf` says. */
export const SENDER_RULE: Rule = {
  must: "'a@example.com', 'Name <a@example.com>' or { name, address }",
  fits: (value) => typeof value === 'string' || isFields(value),
  required: true,
};

/**
 * A sender as options give it: `a@example.com`, `Name <a@example.com>`, or both apart.
 * @throws SendonceError OPTION_INVALID naming the option.
 */
export function senderOf(option: string, given: string | EmailAddress): EmailAddress {
  const { name, address } = typeof given === 'string' ? parsed(given) : given;
  const problem = CONTROL.test(name) ? 'the name contains a control character' : addressProblem('email', address);
  if (problem === null) return { name, address };
  throw new SendonceError('OPTION_INVALID', `${option} must be 'a@example.com' or 'Name <a@example.com>': ${problem}`);
}

/** What ends a header, or is part of no text: line breaks above all. */
export const CONTROL: RegExp = /\p{Cc}/u;

/** The parts of `a@example.com` or `Name <a@example.com>`, unchecked. */
export function parsed(text: string): EmailAddress {
  const [, name = '', address = text] = /^\s*(.*?)\s*<([^<>]*)>\s*$/su.exec(text) ?? [];
  return { name: name.replace(/^"(.*)"$/s, '$1'), address: address.trim() };
}

/** As a vendor's field shows it: `Name <a@example.com>`, the name in quotes where it holds more than words, the domain in ASCII. */
export function written(of: EmailAddress): string {
  const { name } = of;
  const address = wireAddress(of.address);
  if (name === '') return address;
  const isPlain = /^[\p{L}\p{N} !#$%&'*+/=?^_`{|}~-]+$/u.test(name);
  return `${isPlain ? name : `"${name.replace(/["\\]/g, '\\$&')}"`} <${address}>`;
}

/**
 * The address as an envelope carries it: the domain in ASCII, so that only what is before the @ may need an extension of the server, and
 * that in NFC, as RFC 6532 wants it, since servers compare it byte by byte.
 */
export function wireAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at).normalize('NFC')}@${domainOf(address)}`;
}

/** Whether it needs SMTPUTF8: other letters than ASCII before the @. */
export function needsUtf8(address: string): boolean {
  return /[^\p{ASCII}]/u.test(wireAddress(address));
}

/** For vendors that take no such address: whoever is next in the channel's list may. */
export function noUtf8(vendor: string): Rejection {
  return {
    kind: 'rejected',
    scope: 'provider',
    reason: `${vendor} does not take SMTPUTF8, which an address with other letters than ASCII before the @ needs`,
    code: 'SMTPUTF8',
  };
}

/** The domain in ASCII; '' where it cannot be one. */
export function domainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1));
}
