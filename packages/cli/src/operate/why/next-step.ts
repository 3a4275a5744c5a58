import { CLASS_POLICIES, type DeliveryRecord, type NotifierConfig, type UnknownAction } from '@sendonce/core';
import { failedCause, type FailedCause } from '../failed-cause.ts';
import { lackOf, pausedOf } from '../lack.ts';
import { replayCommand } from '../replay-command.ts';
import { when } from '../words.ts';

export interface NextStep {
  readonly text: string;
  /** The words of a command that a person can give; null: nothing is asked of anybody. */
  readonly command: string | null;
}

const NOTHING = (text: string): NextStep => ({ text, command: null });

/** What happens to a delivery next, and when. Pure. */
export function nextStep(record: DeliveryRecord, config: NotifierConfig, now: number): NextStep {
  switch (record.state) {
    case 'queued':
    case 'retry-scheduled':
      return waiting(record, config, now);
    case 'processing':
      return NOTHING(
        `a worker holds it until ${at(record.leaseUntil, now)}; if that one dies, another takes it over then`,
      );
    case 'dispatching':
      return NOTHING(
        `its message may be leaving now; without an outcome by ${at(record.dispatchUntil, now)} it counts as unknown`,
      );
    case 'unknown':
      return NOTHING(unknownWords(record, config, now));
    case 'sent':
      return NOTHING('nothing: it is sent. A provider may still tell that it arrived, or bounced');
    case 'dead':
    case 'failed':
    case 'parked':
      return deadLetter(record);
    case 'expired':
      return NOTHING(
        'nothing: it was not sent, and its time is over. Publish it again under another key if it is still wanted',
      );
    case 'delivered':
    case 'bounced':
    case 'undeliverable':
    case 'suppressed':
    case 'cancelled':
      return NOTHING(`nothing: it is ${record.state}, and that is final`);
  }
}

function at(time: number | null, now: number): string {
  return time === null ? 'an unknown time' : when(time, now);
}

function waiting(record: DeliveryRecord, config: NotifierConfig, now: number): NextStep {
  const { dueAt, provider, expiresAt } = record;
  const until = expiresAt === null ? '' : ` It expires at ${when(expiresAt, now)}.`;
  const paused = pausedOf(record);
  if (paused !== null)
    return NOTHING(`it waits because ${paused} is paused, and asks again at ${when(dueAt, now)}.${until}`);
  const lack = lackOf(record, config);
  if (lack !== null)
    return NOTHING(`nothing by itself: ${lack}. Give it back to the config, and restart the workers.${until}`);
  if (dueAt > now) return NOTHING(`a worker tries it at ${when(dueAt, now)}, by ${provider}.${until}`);
  return {
    text: `the next free worker tries it, by ${provider}; it has been due since ${when(dueAt, now)}.${until}`,
    command: 'status',
  };
}

function unknownWords(
  { dueAt, type, class: ofClass, forbidden }: DeliveryRecord,
  config: NotifierConfig,
  now: number,
): string {
  const look = `the reconciler looks at it at ${when(dueAt, now)}`;
  if (forbidden !== null) return `${look}; nothing new is sent, because it is ${forbidden}`;
  const types: Readonly<Record<string, { readonly onUnknown?: UnknownAction } | undefined>> = config.notifications;
  const { onUnknown } = { ...CLASS_POLICIES[ofClass], ...config.classes?.[ofClass], ...types[type] };
  return `${look}: it repeats under the same key or asks the provider where it can, and where nothing can tell, its policy is ${onUnknown}`;
}

const FAILED: Readonly<Record<FailedCause, string>> = {
  refused: 'Send it again only if the refusal was wrong, or what it was about is mended',
  'not-made': 'No provider was asked: mend its content or its address, then send it again',
};

function deadLetter(record: DeliveryRecord): NextStep {
  const { replacedBy, state } = record;
  if (replacedBy !== null)
    return { text: 'nothing more of this one: another was sent in its place', command: `why ${replacedBy}` };
  const text = {
    dead: 'nothing by itself. When the cause is mended, send it again',
    failed: `nothing by itself. ${FAILED[failedCause(record)]}`,
    parked:
      'nothing by itself. Find out whether it was sent and record that; or send it again, knowing that it may arrive twice',
  }[state as 'dead' | 'failed' | 'parked'];
  return { text, command: replayCommand(record) };
}
