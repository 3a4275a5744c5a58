import type { Targets } from '../config.ts';
import { LONGEST_ID } from '../model/recipient.ts';
import { checkOptions, isFields, oneOfRule, shown, textRule, type Rule, type Rules } from '../options.ts';
import { SendonceError } from '../model/errors.ts';
import { isTargets } from './target-reader.ts';

export interface PublishOptions {
  /** The producer's key, 1 to 512 characters; with tenant and type it names the notification. Required unless the type has `key`. */
  readonly key?: string;
  /** 1 to 512 characters. @defaultValue 'default' */
  readonly tenant?: string;
  /** Nothing is routed or sent before this. A Date or epoch ms (not seconds), up to the year 9999. @defaultValue at once */
  readonly sendAt?: Date | number;
  /** No new attempt this long after `sendAt`: more than 0 ms, up to 100 years. @defaultValue the type's or class's */
  readonly expiresInMs?: number;
  /**
   * Who gets it; required where the type has no `route`. An array is taken as it is at the call, whatever is done to it afterwards;
   * another iterable is read once, page by page, and frozen. A recipient that cannot be used is born failed, with its reason.
   */
  readonly recipients?: Targets;
  /** The caller's own transaction, for a ledger that can join it. */
  readonly transaction?: unknown;
}

const LAST_DATE_MS = Date.UTC(9999, 11, 31);
const CENTURY_MS = 100 * 365 * 86_400_000;

export const KEY_RULE: Rule = textRule(LONGEST_ID);

const RULES: Rules & Readonly<Record<keyof PublishOptions, Rule>> = {
  key: KEY_RULE,
  tenant: textRule(LONGEST_ID),
  sendAt: { must: 'a valid Date or epoch ms, from 1970 to 9999', fits: (value) => msOf(value) !== null },
  expiresInMs: {
    must: 'a number of more than 0 ms, up to 100 years',
    fits: (value) => typeof value === 'number' && value > 0 && value <= CENTURY_MS,
  },
  recipients: { must: 'an array or (async) iterable of { channel, to }', fits: isTargets },
  transaction: { must: 'whatever the ledger takes', fits: () => true },
};

const ANYTHING: Rule = { must: 'anything', fits: () => true };
const ITEM_RULES: Rules = { ...RULES, data: ANYTHING };
const SEND_RULES: Rules = {
  ...RULES,
  content: { must: 'an object { subject, text, html, ... }', fits: isFields, required: true },
};

/** @throws SendonceError OPTION_INVALID naming the option, what came and what is allowed. */
export function checkPublishOptions(given: unknown): void {
  check(given, RULES, 'the options of publish must be an object { key, recipients, ... }');
}

/** One of `publishMany`. @throws SendonceError OPTION_INVALID */
export function checkPublishItem(given: unknown): void {
  check(given, ITEM_RULES, 'an item must be an object { data, key, ... }');
}

/** What `send` is given. @throws SendonceError OPTION_INVALID */
export function checkSendOptions(given: unknown, classes: readonly string[]): void {
  check(given, { ...SEND_RULES, class: oneOfRule(classes) }, 'send takes an object { key, recipients, content }');
}

function check(given: unknown, rules: Rules, what: string): void {
  if (!isFields(given)) throw new SendonceError('OPTION_INVALID', `${what}, got ${shown(given)}`);
  checkOptions('', given, rules, 'OPTION_INVALID');
}

/** Epoch ms of a Date or a number that is one. */
export function msOf(sendAt: unknown): number | null {
  const isDate = Object.prototype.toString.call(sendAt) === '[object Date]';
  const ms = isDate ? (sendAt as Date).getTime() : sendAt;
  return typeof ms === 'number' && ms >= 0 && ms <= LAST_DATE_MS ? ms : null;
}
