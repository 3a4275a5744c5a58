import { addressProblem } from '@sendonce/core';
import type { Rejection } from '../rejection.ts';
import { parsed, wireAddress, type EmailAddress } from './address.ts';
import type { Mail } from './mail.ts';

export interface ReplyTo {
  readonly replyTo: EmailAddress | null;
  readonly headers: Mail['headers'];
}

/** The headers with `Reply-To` apart, for vendors that take it in a field of its own; or why it is no address. */
export function replyToOf({ headers }: Mail): ReplyTo | Rejection {
  const given = headers.find(([name]) => /^reply-to$/i.test(name))?.[1];
  const others = headers.filter(([name]) => !/^reply-to$/i.test(name));
  if (given === undefined) return { replyTo: null, headers: others };
  const { name, address } = parsed(given);
  if (addressProblem('email', address) === null)
    return { replyTo: { name, address: wireAddress(address) }, headers: others };
  return { kind: 'rejected', scope: 'message', reason: "content.headers['Reply-To'] is not one address" };
}
