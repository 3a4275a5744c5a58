import { inspect } from 'node:util';
import { isSendonceError } from '@sendonce/core';
import { placeOf } from '../config-file/place.ts';

/** What a law came to. */
export type Judgement =
  | { readonly kind: 'kept'; readonly law: string }
  | { readonly kind: 'skipped'; readonly law: string; readonly reason: string }
  /** `unitMs`: what it counted its time in. */
  | ({ readonly kind: 'broken'; readonly law: string; readonly unitMs: number } & Evidence);

export interface Evidence {
  readonly reason: string;
  /** Null where the law compares nothing. */
  readonly expected: string | null;
  readonly seen: string | null;
  /** Where in the user's own files it was thrown. */
  readonly at: string | null;
}

const LONGEST = 400;

/** What an assertion, or anything else that a law or an adapter threw, shows. */
export function evidenceOf(thrown: unknown): Evidence {
  const at = placeOf(thrown);
  if (isAssertion(thrown)) {
    const { operator, message, expected, actual } = thrown;
    // A comparison prints its two sides as a difference of many lines below its words.
    if (operator !== undefined && !TOLD_IN_WORDS.includes(operator))
      return { reason: cut(message.split('\n')[0] ?? ''), expected: side(expected), seen: side(actual), at };
    return { reason: cut(message), ...NO_SIDES, at };
  }
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const code = isSendonceError(thrown) ? `${thrown.code}: ` : thrown instanceof TypeError ? 'TypeError: ' : '';
  return { reason: cut(code + reason), ...NO_SIDES, at };
}

const NO_SIDES = { expected: null, seen: null };

/** Of `assert.ok` and `assert.fail`. */
const TOLD_IN_WORDS: readonly string[] = ['==', 'fail'];

interface Assertion extends Error {
  readonly actual: unknown;
  readonly expected: unknown;
  readonly operator?: string;
}

function isAssertion(thrown: unknown): thrown is Assertion {
  return thrown instanceof Error && (thrown as { readonly code?: unknown }).code === 'ERR_ASSERTION';
}

function side(value: unknown): string {
  return cut(
    inspect(value, { depth: 6, breakLength: Infinity, maxArrayLength: 20, maxStringLength: 200, sorted: true }),
  );
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  // A long history ends in what broke.
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST / 2)} ... ${line.slice(-LONGEST / 2)}`;
}
