import { addressProblem, normaliseAddress, type Channel, type OutgoingMessage } from '@sendonce/core';
import { numberRule, type Rule } from '@sendonce/core/internal';
import { badDestination, badMessage } from '../api/reject.ts';
import { textIn, type TextLimit } from '../chat/text.ts';
import type { Rejection } from '../rejection.ts';
import { segmentsOf, type Segments } from './segments.ts';

export interface Sms {
  /** In E.164, with its plus. */
  readonly to: string;
  readonly text: string;
  readonly encoding: Segments['encoding'];
}

/** For vendors that count segments alone. */
const NO_LIMIT: TextLimit = { most: Infinity, counts: 'characters' };

/** One text message, or why it can never be sent. */
export function smsOf(
  { to, content }: OutgoingMessage,
  maxSegments: number,
  limit: TextLimit = NO_LIMIT,
): Sms | Rejection {
  const number = phoneOf('sms', to);
  if (typeof number !== 'string') return number;
  const text = textIn(content, 'text', limit);
  if (typeof text !== 'string') return text;
  const { encoding, segments } = segmentsOf(text);
  if (segments <= maxSegments) return { to: number, text, encoding };
  return badMessage(`content.text makes ${segments} segments in ${encoding}, more than maxSegments (${maxSegments})`);
}

/** The number in E.164, or why it can be none. */
export function phoneOf(channel: Channel & ('sms' | 'whatsapp'), to: string): string | Rejection {
  const problem = addressProblem(channel, to);
  return problem === null ? normaliseAddress(channel, to) : badDestination(`the address cannot be used: ${problem}`);
}

/** 3GPP TS 23.040, 9.2.3.24.1: the header that joins messages counts up to 255. */
export const MOST_SEGMENTS = 255;

export function segmentsRule(most: number): Rule {
  return numberRule({ least: 1, most, whole: true }, ' segments');
}

const NUMBER = /^\+?\d{3,15}$/;
/** What networks show of a name. Nothing that turns the direction of writing, looks like another letter or ends a line. */
const NAME = /^(?=.*[A-Za-z])[A-Za-z0-9 &_+.-]{1,11}$/;

/** A sender: what the phone shows. Whether it may be used, and where, is the vendor's to say. */
export const SENDER_RULE: Rule = {
  must: 'a number (+4912345678), a short code (12345), or a name of 1 to 11 letters, digits, spaces and &_+.- with a letter',
  fits: (value) => typeof value === 'string' && (NUMBER.test(value) || NAME.test(value)),
};
