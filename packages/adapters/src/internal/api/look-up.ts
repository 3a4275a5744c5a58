import type { LookupAnswer } from '@sendonce/core';
import { deadlineOf } from '../deadline.ts';
import { get, type HttpGet } from '../http/post.ts';
import { BODY_MS, jsonIn } from './http-api.ts';

export interface LookUpLimits {
  /** How long all of it may take, ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A page of a vendor's log. */
const MOST_BYTES = 1_048_576;

/** Asks a vendor's log, in one request. `read` says what an answer of 200 tells; null: it is not one that this vendor gives. */
export async function lookUp(
  call: HttpGet,
  { timeoutMs, signal }: LookUpLimits,
  read: (json: unknown) => LookupAnswer | null,
): Promise<LookupAnswer> {
  const deadline = deadlineOf({ deadlineMs: timeoutMs, signal });
  const result = await get(call, { deadline, timeoutMs, bodyMs: BODY_MS, mostBytes: MOST_BYTES });
  if (result.kind !== 'answered') return { kind: 'cannot-tell', reason: result.reason };
  const { status, body } = result;
  if (status !== 200) return { kind: 'cannot-tell', reason: `HTTP ${status}: ${(body ?? '').trim().slice(0, 200)}` };
  return read(jsonIn(body)) ?? { kind: 'cannot-tell', reason: 'the answer is not a page of its log' };
}
