import { addressProblem, type MessageContent, type OutgoingMessage } from '@sendonce/core';
import { attachmentsOf, type Attachment } from './attachments.ts';
import { CONTROL, domainOf, needsUtf8, noUtf8, type EmailAddress } from './address.ts';
import { Refused } from './refused.ts';
import type { Rejection } from '../rejection.ts';

/** One mail to one recipient, checked: nothing in it can end a header or reach for a file. */
export interface Mail {
  readonly from: EmailAddress;
  readonly to: string;
  /** With its angle brackets; the same on every attempt. */
  readonly messageId: string;
  readonly deliveryId: string;
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  /** By name, so that the order in which a store gives them back makes no difference. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly attachments: readonly Attachment[];
  /** Epoch ms of the Date header. */
  readonly date: number;
}

/** The header in which our delivery id travels, and comes back in reports of what bounced. */
export const DELIVERY_HEADER = 'X-Sendonce-Delivery';

/** What one vendor's mail may not hold beside. */
export interface MailRules {
  /** Headers by which the vendor takes orders: they would switch off, or forge, what the adapter says in its request. */
  readonly commands?: RegExp;
  /** The vendor's name, where it takes no address that needs SMTPUTF8. */
  readonly asciiOnly?: string;
}

/** The mail that a message's content makes, or why it can never be one: a text with line breaks where a header would end, above all. */
export function mailOf(
  message: OutgoingMessage,
  key: string,
  from: EmailAddress,
  rules: MailRules = {},
): Mail | Rejection {
  const { to, content, deliveryId, createdAt } = message;
  const problem = addressProblem('email', to) ?? (domainOf(to.trim()) === '' ? 'not a domain name' : null);
  if (problem !== null)
    return { kind: 'rejected', scope: 'destination', reason: `the address cannot be used: ${problem}` };
  if (rules.asciiOnly !== undefined && (needsUtf8(from.address) || needsUtf8(to.trim())))
    return noUtf8(rules.asciiOnly);
  try {
    return {
      from,
      to: to.trim(),
      messageId: `<${key}@${domainOf(from.address)}>`,
      deliveryId,
      ...bodiesOf(content),
      subject: lineIn(content, 'subject') ?? '',
      headers: headersOf(content, rules),
      attachments: attachmentsOf(content['attachments']),
      date: dateOf(content['date']) ?? createdAt,
    };
  } catch (error) {
    if (error instanceof Refused) return { kind: 'rejected', scope: 'message', reason: error.message };
    throw error;
  }
}

function bodiesOf(content: MessageContent): Pick<Mail, 'text' | 'html'> {
  const [text, html] = [textIn(content, 'text'), textIn(content, 'html')];
  if (text === null && html === null) throw new Refused("content needs a 'text' or an 'html'");
  return { text, html };
}

function textIn(content: MessageContent, field: string): string | null {
  const value = content[field];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  throw new Refused(`content.${field} must be a text, got ${typeof value}`);
}

function lineIn(content: MessageContent, field: string): string | null {
  const text = textIn(content, field);
  if (text !== null && CONTROL.test(text))
    throw new Refused(`content.${field} contains a line break or a control character`);
  return text;
}

/** What the adapter, the library and the servers on the way write themselves. */
const RESERVED =
  /^(from|to|cc|bcc|subject|date|message-id|mime-version|return-path|received|dkim-signature|x-sendonce-.*|content-.*|resent-.*)$/i;
/** RFC 5322: printable ASCII but the colon. */
const HEADER_NAME = /^[!-9;-~]{1,76}$/;
const LONGEST_VALUE = 8_000;

function headersOf({ headers }: MessageContent, rules: MailRules): Mail['headers'] {
  const given: unknown = headers ?? {};
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Refused('content.headers must be an object of texts');
  return Object.entries(given as Readonly<Record<string, unknown>>)
    .map(([name, value]) => checkedHeader(name, value, rules))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function checkedHeader(name: string, value: unknown, { commands }: MailRules): readonly [string, string] {
  if (!HEADER_NAME.test(name)) throw new Refused(`content.headers: ${JSON.stringify(name)} is no name of a header`);
  if (RESERVED.test(name)) throw new Refused(`content.headers: '${name}' is written by the adapter; leave it out`);
  if (commands?.test(name) === true)
    throw new Refused(`content.headers: '${name}' would change what the provider does with the mail; leave it out`);
  if (typeof value !== 'string' || value.length > LONGEST_VALUE)
    throw new Refused(`content.headers['${name}'] must be a text of at most ${LONGEST_VALUE} characters`);
  if (CONTROL.test(value)) throw new Refused(`content.headers['${name}'] contains a line break or a control character`);
  return [name, value];
}

function dateOf(given: unknown): number | null {
  if (given === undefined || given === null) return null;
  const at = typeof given === 'string' || typeof given === 'number' ? new Date(given).getTime() : NaN;
  if (Number.isNaN(at))
    throw new Refused('content.date must be a time: epoch milliseconds, or a text like 2026-03-01T08:00:00Z');
  return at;
}
