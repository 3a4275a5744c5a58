import { SendonceError } from '@sendonce/core';
import type { Box } from './store.ts';

/** A number in an inbox, and which inbox it is of: one that was erased and began anew counts from 0 again. */
export interface Token {
  /** '': there was no inbox yet. */
  readonly key: string;
  readonly at: number;
}

const TOKEN = /^([\w-]{0,64})\.(\d{1,15})$/;

export function tokenOf(box: Pick<Box, 'key'> | null, at: number): string {
  return `${box?.key ?? ''}.${at}`;
}

/** @throws SendonceError OPTION_INVALID */
export function readToken(name: string, given: unknown): Token {
  const [, key, at] = (typeof given === 'string' ? TOKEN.exec(given) : null) ?? [];
  if (key === undefined)
    throw new SendonceError('OPTION_INVALID', `${name} must be as it came in an answer of this inbox`);
  return { key, at: Number(at) };
}

/** The token of another number in the same inbox. */
export function tokenWithin(token: string, at: number): string {
  return `${token.slice(0, token.lastIndexOf('.'))}.${at}`;
}
