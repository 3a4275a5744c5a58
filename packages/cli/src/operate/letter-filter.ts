import { CHANNELS, type Channel, type DeliveryFilter, type DeliveryRecord, type DeliveryState } from '@sendonce/core';
import { flagError } from '../flags/flag-error.ts';
import { parseChoice } from '../flags/parse-values.ts';
import { nearest } from '../nearest.ts';
import type { FilterFlags } from './flags.ts';
import { parseMoment } from './parse-moment.ts';
import { NO_REASON, saysReason } from './reason-group.ts';

export const DEAD_LETTER_STATES = ['dead', 'failed', 'parked'] as const satisfies readonly DeliveryState[];
export type DeadLetterState = (typeof DEAD_LETTER_STATES)[number];
/** What was never sent and is listed: beside the dead letters what expired, which nobody can send again as it is. */
export const LISTED_STATES = [...DEAD_LETTER_STATES, 'expired'] as const satisfies readonly DeliveryState[];
export type ListedState = (typeof LISTED_STATES)[number];

/** Only what nobody has sent again yet, in the words of a ledger: by however many automatic redrives it was made. */
export const NOT_REPLACED: DeliveryFilter = { redrivesBelow: Number.MAX_SAFE_INTEGER };

/** Which dead letters a command is about. */
export interface LetterFilter {
  readonly reason?: string;
  readonly provider?: string;
  readonly channel?: Channel;
  readonly type?: string;
  readonly tenant?: string;
  /** Died at or after this, and before that; epoch ms. */
  readonly since?: number;
  readonly until?: number;
}

/** @throws SendonceError FLAG_INVALID */
export function parseFilter(flags: FilterFlags, now: number): LetterFilter {
  const { reason, provider, channel, type, tenant, since, until } = flags;
  const filter: LetterFilter = {
    ...(reason === undefined ? {} : { reason: textOf('reason', reason) }),
    ...(provider === undefined ? {} : { provider: textOf('provider', provider) }),
    ...(channel === undefined ? {} : { channel: parseChoice('channel', channel, CHANNELS) }),
    ...(type === undefined ? {} : { type: textOf('type', type) }),
    ...(tenant === undefined ? {} : { tenant: textOf('tenant', tenant) }),
    ...(since === undefined ? {} : { since: parseMoment('since', since, now) }),
    ...(until === undefined ? {} : { until: parseMoment('until', until, now) }),
  };
  if (filter.since !== undefined && filter.until !== undefined && filter.since >= filter.until)
    throw flagError('until', until ?? '', `a later time than that of --since (${since})`);
  return filter;
}

function textOf(flag: string, given: string): string {
  if (given.trim() === '') throw flagError(flag, given, 'a text');
  return given.trim();
}

/** Words of a closed set, separated by commas. */
export function parseStates<State extends string>(flag: string, given: string, allowed: readonly State[]): State[] {
  const words = given.split(',').map((word) => word.trim().toLowerCase());
  return [
    ...new Set(
      words.map((word) => {
        const known = allowed.find((state) => state === word);
        if (known !== undefined) return known;
        throw flagError(flag, given, `${allowed.join(', ')}, or several separated by commas`, nearest(word, allowed));
      }),
    ),
  ];
}

/** What of it the ledger can look for itself. */
export function ledgerFilter({ provider, channel, type, tenant }: LetterFilter): DeliveryFilter {
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(channel === undefined ? {} : { channel }),
    ...(type === undefined ? {} : { type }),
    ...(tenant === undefined ? {} : { tenant }),
  };
}

export function fits(record: DeliveryRecord, filter: LetterFilter): boolean {
  const { reason, provider, channel, type, tenant, since, until } = filter;
  const diedAt = record.settledAt ?? record.updatedAt;
  return (
    (provider === undefined || record.provider === provider) &&
    (channel === undefined || record.target.channel === channel) &&
    (type === undefined || record.type === type) &&
    (tenant === undefined || record.tenant === tenant) &&
    (since === undefined || diedAt >= since) &&
    (until === undefined || diedAt < until) &&
    (reason === undefined || hasReason(record, reason))
  );
}

/** A part of its reason or of what a provider answered, as it is or as it is shown; or exactly the code that a provider gave. */
function hasReason({ reason, attempts, target }: DeliveryRecord, wanted: string): boolean {
  if (reason === null && wanted === NO_REASON) return true;
  const has = (text: string | null): boolean => text !== null && saysReason(text, wanted, target);
  return (
    has(reason) ||
    attempts.some(({ outcome }) => {
      if (outcome === null || outcome.kind === 'accepted') return false;
      return has(outcome.reason) || (outcome.kind === 'rejected' && outcome.code === wanted);
    })
  );
}
