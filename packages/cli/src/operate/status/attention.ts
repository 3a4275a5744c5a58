import type { CommandOf } from '../desk.ts';
import { plural, span } from '../words.ts';
import type { Attention, StatusReport } from './report.ts';

/** Longer than any worker's polling and a busy moment, ms. */
const LATE_MS = 60_000;
/** Ledgers go on by themselves over a step back of an hour; beyond that what waits stands, ms. */
const CLOCK_BACK_MS = 65 * 60_000;

/** What needs a person, the most urgent first. Pure. */
export function attentionOf(
  facts: Omit<StatusReport, 'schema' | 'at' | 'attention'>,
  command: CommandOf,
): readonly Attention[] {
  const { deadLetters, expired, blocked, failedNotifications, unsealed, oldestDueMs, refusedMoves, unreadable } = facts;
  const { dead, parked, failed, notMade, isComplete } = deadLetters;
  const refused = failed - notMade;
  const atLeast = isComplete ? '' : 'at least ';
  const all: readonly (Attention | false)[] = [
    oldestDueMs >= LATE_MS && {
      what: `work has been due for ${span(oldestDueMs)}, and nobody takes it`,
      next: 'see that a worker runs and can reach this ledger',
    },
    facts.clockBehindMs >= CLOCK_BACK_MS && {
      what: `the clock here is ${span(facts.clockBehindMs)} behind what is in the ledger, so what waits is not due before`,
      next: 'see whether the clock of this host was set back, and set it right: then it goes on by itself',
    },
    ...blocked.map(({ name }) => ({
      what: `${name} is paused, and deliveries wait for it`,
      next: `when it may go on: notifier.block([{ scope: '${name}', blocked: false, ... }])`,
    })),
    ...facts.putBack.map(({ name, count }) => ({
      what: `${plural(count, 'notification')} put back: ${name}`,
      next: 'mend it, in the config or where its data come from, and restart the workers: then they go on by themselves',
    })),
    ...facts.lacking.reasons.map(({ name, count }) => ({
      what: `${plural(count, 'delivery waits', 'deliveries wait')}, and no worker can send ${count === 1 ? 'it' : 'them'}: ${name}`,
      next: `give it back to the config and restart the workers: then they go on by themselves${untilWords(facts.lacking)}`,
    })),
    dead > 0 && {
      what: `${atLeast}${plural(dead, 'dead letter is', 'dead letters are')} known not sent: attempts spent${untilWords(deadLetters)}`,
      next: `when the cause is mended: ${command('replay-dlq')}`,
    },
    parked > 0 && {
      what: `${atLeast}${plural(parked, 'message is', 'messages are')} parked: nothing tells whether sent`,
      next: command('dlq list --state parked'),
    },
    refused > 0 && {
      // By a provider, or by its adapter, which saw by itself that nobody would take it.
      what: `${atLeast}${plural(refused, 'message was', 'messages were')} refused for good`,
      next: command('dlq list --state failed'),
    },
    notMade > 0 && {
      what: `${atLeast}${plural(notMade, 'message', 'messages')} could not be made, so no provider was asked: their content threw, or their address is none`,
      next: command('dlq list --state failed'),
    },
    (expired.count > 0 || !expired.isComplete) && {
      what: `${expired.isComplete ? '' : 'at least '}${plural(expired.count, 'delivery', 'deliveries')} expired unsent in the last 7 d: publish again, under another key, what is still wanted`,
      next: command(`dlq list --state expired${expired.dead > 0 ? ',dead' : ''}`),
    },
    facts.notifications.failed > 0 && {
      what: `${plural(facts.notifications.failed, 'notification')} could not be routed: nobody of them gets anything`,
      next: command(`why ${failedNotifications[0]?.id ?? 'n_...'}`),
    },
    unsealed > 0 && {
      what: `${plural(unsealed, 'notification')} with recipients that are not complete: nobody of them gets anything yet`,
      next: 'if the producer is gone: publish the same again, under the same key',
    },
    unreadable > 0 && {
      what: `${plural(unreadable, 'record')} that cannot be read, so left alone: damaged, or written by a later release`,
      next: 'use the latest release here; if that is it, see the page of this ledger',
    },
    refusedMoves > 0 && {
      what: `${plural(refusedMoves, 'move')} refused by the ledger: a fault of Sendonce or of an adapter`,
      next: 'please report it',
    },
  ];
  return all.filter((each) => each !== false);
}

function untilWords({ firstExpiresAt }: { readonly firstExpiresAt: string | null }): string {
  return firstExpiresAt === null ? '' : `; the first expires at ${firstExpiresAt}`;
}
