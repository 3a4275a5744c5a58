import { ANY_PROVIDER, type Attempt, type DeliveryRecord, type Move } from '@sendonce/core';
import type { Masks } from '../mask.ts';
import { outcomeWords, providerWords } from '../outcome-words.ts';
import { byWords } from './by-words.ts';

export interface StoryLine {
  /** Epoch ms. */
  readonly at: number;
  readonly text: string;
}

/** What happened to one delivery, oldest first. Pure. `moves`: none when they are not kept any more. `next`: what replaced it. */
export function storyOf(
  record: DeliveryRecord,
  moves: readonly Move[],
  next: DeliveryRecord | null,
  masks: Masks,
): readonly StoryLine[] {
  const lines = moves.length === 0 ? outline(record, masks) : moves.map((move) => lineOf(move, record, masks));
  const marks = new Set(moves.filter(({ to }) => to === 'dispatching').map(({ at, fence }) => `${at} ${fence}`));
  const unseen = record.attempts.filter(({ markedAt, fence }) => !marks.has(`${markedAt} ${fence}`));
  const all = [
    ...lines,
    ...unseen.map((attempt) => ({ at: attempt.markedAt, text: attemptWords(attempt, record, masks) })),
    ...record.declarations.map(({ at, kind, provider }) => ({ at, text: declarationWords(kind, provider) })),
    ...(next === null ? [] : [{ at: next.createdAt, text: replacedWords(next) }]),
  ];
  // Stable: what happened in the same millisecond stays in the order of the moves.
  return all.sort((a, b) => a.at - b.at);
}

/** All that is known without the moves. */
function outline(record: DeliveryRecord, masks: Masks): StoryLine[] {
  const made = { at: record.createdAt, text: madeWords(record, 'fan-out', masks) };
  if (record.settledAt === null) return [made];
  return [made, { at: record.settledAt, text: stateWords(record.state, record.reason, record, masks) }];
}

function lineOf({ at, from, to, by, fence, note }: Move, record: DeliveryRecord, masks: Masks): StoryLine {
  const who = byWords(by);
  if (from === null) {
    const made = madeWords(record, who, masks);
    // One that nothing could be sent to (no address, no provider) has no other move.
    return { at, text: to === 'queued' ? made : `${made}; ${stateWords(to, note ?? record.reason, record, masks)}` };
  }
  if (to === 'processing')
    return {
      at,
      text: from === 'processing' ? `${who} took it over from a worker whose lease ran out` : `${who} took it`,
    };
  if (to === 'dispatching') {
    const attempt = record.attempts.find((each) => each.markedAt === at && each.fence === fence);
    return { at, text: attempt === undefined ? `${who} began an attempt` : attemptWords(attempt, record, masks) };
  }
  const told = stateWords(to, note, record, masks);
  return { at, text: by.startsWith('worker:') ? told : `${told}; by ${who}` };
}

function madeWords(record: DeliveryRecord, who: string, masks: Masks): string {
  const { target, operator, replaces } = record;
  const where = `${masks.address(target.to)} on ${target.channel}`;
  if (operator === null || replaces === null) return `made by ${who}, for ${where}`;
  return `made again by ${operator.by} in the place of ${replaces}, for ${where}: "${operator.why}"`;
}

function attemptWords(attempt: Attempt, { target }: DeliveryRecord, masks: Masks): string {
  if (attempt.presumed && attempt.provider === ANY_PROVIDER)
    return `attempt ${attempt.n} is presumed: the store lost its memory, and it may have been sent by any provider`;
  const presumed = attempt.presumed ? ' (presumed)' : '';
  return `attempt ${attempt.n} at ${providerWords(attempt)}${presumed}: ${outcomeWords(attempt, masks, target)}`;
}

function declarationWords(kind: DeliveryRecord['declarations'][number]['kind'], provider: string): string {
  const why = {
    resend: `it is sent again by ${provider}`,
    failover: `it goes to ${provider}`,
    'replay-generation': `an operator has it sent again by ${provider}`,
  }[kind];
  return `written down as a possible duplicate: ${why} although an earlier attempt may have been sent`;
}

function replacedWords({ id, operator }: DeliveryRecord): string {
  return `sent again as ${id}${operator === null ? '' : ` by ${operator.by}: "${operator.why}"`}`;
}

function stateWords(
  state: DeliveryRecord['state'],
  note: string | null,
  { target, assumed }: DeliveryRecord,
  masks: Masks,
): string {
  const why = note === null ? '' : `: ${masks.text(note, target)}`;
  switch (state) {
    case 'queued':
      return `waits in the queue again${why}`;
    case 'processing':
      return 'a worker took it';
    case 'dispatching':
      return 'its message may be leaving';
    case 'retry-scheduled':
      return `waits for its next attempt${why}`;
    case 'unknown':
      return `nobody knows whether it was sent, so nothing is sent again blindly${why}`;
    case 'sent':
      return assumed ? `counts as sent, without proof, as its class allows${why}` : 'sent: a provider took it';
    case 'parked':
      return `parked, because nothing tells whether it was sent${why}`;
    case 'delivered':
      return 'delivered: it arrived';
    case 'bounced':
      return `bounced: it was taken and came back${why}`;
    case 'undeliverable':
      return `undeliverable: it was taken and did not arrive${why}`;
    case 'failed':
      return `failed for good${why}`;
    case 'dead':
      return `gave up${why}`;
    case 'expired':
      return `expired before it was sent${why}`;
    case 'suppressed':
      return `not sent: the recipient opted out${why}`;
    case 'cancelled':
      return `cancelled${why}`;
  }
}
