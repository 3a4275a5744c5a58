import { CHANNELS, DELIVERY_CLASSES } from '../model/classes.ts';
import { SendonceError } from '../model/errors.ts';
import {
  BOOLEAN_RULE,
  checkOptions,
  isFields,
  numberRule,
  oneOfRule,
  shown,
  textRule,
  type Rule,
  type Rules,
} from '../options.ts';
import type { BlockRequest, Evidence, SuppressRequest } from '../ports/ledger.ts';

/** Longest address, note or name that an operator gives, characters. */
const LONGEST = 4_096;
const TEXT: Rule = { ...textRule(LONGEST), required: true };
const FLAG: Rule = { ...BOOLEAN_RULE, required: true };
const NULL_OR_TEXT: Rule = {
  must: `null or ${TEXT.must}`,
  fits: (value) => value === null || TEXT.fits(value),
  required: true,
};
const NOTE: Rules = { by: TEXT, why: TEXT };

const SUPPRESS: Rules & Readonly<Record<keyof SuppressRequest, Rule>> = {
  tenant: TEXT,
  recipientId: TEXT,
  topic: TEXT,
  channel: { ...oneOfRule([...CHANNELS, '*']), required: true },
  suppressed: FLAG,
  by: TEXT,
  why: TEXT,
};

const SCOPE = new RegExp(
  `^(?:all|(?:provider|type):.+|channel:(?:${CHANNELS.join('|')})|class:(?:${DELIVERY_CLASSES.join('|')}))$`,
);
const BLOCK: Rules & Readonly<Record<keyof BlockRequest, Rule>> = {
  scope: {
    must: "'all', 'provider:NAME', 'type:NAME', 'channel:' and a channel, or 'class:' and a class",
    fits: (value) => typeof value === 'string' && SCOPE.test(value),
    required: true,
  },
  blocked: FLAG,
  recheckMs: { ...numberRule({ least: 0, most: 365 * 86_400_000 }, ' ms'), required: true },
  by: TEXT,
  why: TEXT,
};

const EVIDENCE: Rules & Readonly<Record<keyof Evidence, Rule>> = {
  deliveryId: NULL_OR_TEXT,
  provider: TEXT,
  providerMessageId: NULL_OR_TEXT,
  kind: { ...oneOfRule(['accepted', 'rejected', 'delivered', 'bounced', 'undeliverable', 'other']), required: true },
  at: { must: 'epoch ms', fits: (value) => typeof value === 'number' && Number.isFinite(value), required: true },
  detail: { must: 'null or a text', fits: (value) => value === null || typeof value === 'string', required: true },
};

/** @throws SendonceError OPTION_INVALID unless it is one id. */
export function checkId(call: string, id: unknown): void {
  if (!TEXT.fits(id)) refuse(`${call} takes the id of a notification or delivery, got ${shown(id)}`);
}

/** What `cancel` and `replay` are given. @throws SendonceError OPTION_INVALID */
export function checkIdsAndNote(call: string, ids: unknown, note: unknown, more: Rules = {}): void {
  listOf(call, ids, 'ids').forEach((id, at) => {
    if (!TEXT.fits(id)) refuse(`${call}: ids[${at}] must be the id of a notification or delivery, got ${shown(id)}`);
  });
  if (!isFields(note)) refuse(`${call} needs a note { by, why }: who asks, and for what reason; got ${shown(note)}`);
  checkOptions(`${call}: `, note, { ...NOTE, ...more }, 'OPTION_INVALID');
}

export const FORCE: Rules = { force: BOOLEAN_RULE };

export function checkSuppress(requests: unknown): void {
  checkList('suppress', requests, SUPPRESS);
}

export function checkBlock(requests: unknown): void {
  checkList('block', requests, BLOCK);
}

export function checkEvidence(evidence: unknown): void {
  checkList('record', evidence, EVIDENCE);
}

/** @throws SendonceError OPTION_INVALID naming the place in the list. */
function checkList(call: string, given: unknown, rules: Rules): void {
  listOf(call, given, 'requests').forEach((each, at) => {
    if (!isFields(each))
      refuse(`${call}: [${at}] must be an object { ${Object.keys(rules).join(', ')} }, got ${shown(each)}`);
    checkOptions(`${call}: [${at}].`, each, rules, 'OPTION_INVALID');
  });
}

function listOf(call: string, given: unknown, what: string): readonly unknown[] {
  return Array.isArray(given)
    ? Array.from<unknown>(given)
    : refuse(`${call} takes a list of ${what}, got ${shown(given)}`);
}

function refuse(message: string): never {
  throw new SendonceError('OPTION_INVALID', message);
}
