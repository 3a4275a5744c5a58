import type { MessageContent } from '@sendonce/core';
import { canonicalJson, isFields, shown } from '@sendonce/core/internal';
import { invalid } from '../options.ts';
import type { InboxOwner } from './inbox.ts';
import type { Owner } from './store.ts';

/** The longest name of a tenant, a recipient or a message, characters. */
const LONGEST_NAME = 512;
/** As `publish` has it. */
const DEFAULT_TENANT = 'default';
/** The largest content, bytes of JSON: a hundred of them are a page. */
export const MOST_BYTES = 32_768;

/** @throws SendonceError OPTION_INVALID */
export function ownerIn(call: string, given: InboxOwner): Owner {
  const { tenant = DEFAULT_TENANT, recipientId } = fieldsIn(call, given);
  return {
    tenant: nameIn(`${call}: tenant`, tenant),
    recipientId: nameIn(`${call}: recipientId`, recipientId),
  };
}

/** @throws SendonceError OPTION_INVALID */
export function idsIn(call: string, given: unknown): readonly string[] {
  if (!Array.isArray(given) || given.length > 1_000)
    invalid(`${call}: ids must be a list of at most 1,000 ids, got ${shown(given)}`);
  // Each once, or its change would be counted twice.
  return [...new Set(given.map((id) => nameIn(`${call}: an id`, id)))];
}

/** @throws SendonceError OPTION_INVALID */
export function numberIn(at: string, given: unknown, [least, most]: readonly [number, number]): number {
  if (!Number.isInteger(given) || (given as number) < least || (given as number) > most)
    invalid(`${at} must be a whole number from ${least} to ${most}, got ${shown(given)}`);
  return given as number;
}

/** What is stored of a content; or why it cannot be. */
export function bodyOf(content: MessageContent): { readonly body: string } | { readonly problem: string } {
  let body: string | undefined;
  try {
    body = isFields(content) ? canonicalJson(content) : undefined;
  } catch {
    // A cycle, or a bigint.
  }
  if (body === undefined) return { problem: 'the content must be an object that JSON can hold' };
  const bytes = Buffer.byteLength(body);
  return bytes <= MOST_BYTES ? { body } : { problem: `the content has ${bytes} bytes as JSON, at most ${MOST_BYTES}` };
}

/** Why a text can be no name, or null. */
export function nameProblem(given: unknown): string | null {
  if (typeof given !== 'string' || given === '' || given.length > LONGEST_NAME)
    return `a text of 1 to ${LONGEST_NAME} characters`;
  // No store keeps halves of characters as they are, and some no NUL.
  return /[\p{Cc}\p{Cs}]/u.test(given) ? 'a text without control characters' : null;
}

function nameIn(at: string, given: unknown): string {
  const problem = nameProblem(given);
  if (problem !== null) invalid(`${at} must be ${problem}, got ${shown(given)}`);
  return given as string;
}

export function fieldsIn(call: string, given: unknown): Readonly<Record<string, unknown>> {
  if (!isFields(given)) invalid(`${call} takes an object, got ${shown(given)}`);
  return given;
}
