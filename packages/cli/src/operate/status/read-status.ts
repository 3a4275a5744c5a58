import type { Counts, DeliveryState, Ledger, NotificationState } from '@sendonce/core';
import { answering } from '../answering.ts';
import type { Desk } from '../desk.ts';
import { LetterCounts } from '../letter-counts.ts';
import { DEAD_LETTER_STATES } from '../letter-filter.ts';
import { letters } from '../letters.ts';
import { PAGE, pages } from '../pages.ts';
import { reasonGroup } from '../reason-group.ts';
import { Tally, type CountOf } from '../tally.ts';
import { absolute } from '../words.ts';
import { attentionOf } from './attention.ts';
import type { FailedNotification, OpenLetters, StatusReport, WaitingDeliveries } from './report.ts';

/** More dead letters than this are not read for a status: it has to be quick. */
const MOST_READ = 20_000;
const MOST_FAILED = 3;

export async function readStatus({ ledger, now, masks, command }: Desk): Promise<StatusReport> {
  const counts = await answering('count', ledger.count());
  const { dead, failed, parked, queued } = counts.deliveries;
  const active = counts.notifications.accepted + counts.notifications.expanding;
  const facts = {
    ...counts,
    ledger: ledger.capabilities.file,
    deadLetters: dead + failed + parked === 0 ? NO_LETTERS : await openLetters(ledger, now()),
    waiting: await waitingOf(ledger, counts),
    putBack: active === 0 ? [] : await putBackOf(ledger),
    blocked: queued + counts.deliveries['retry-scheduled'] === 0 ? [] : await blockedOf(ledger),
    failedNotifications: (counts.notifications.failed === 0 ? [] : await failedOf(ledger)).map((each) => ({
      ...each,
      reason: each.reason === null ? null : masks.text(each.reason),
    })),
  };
  return { schema: 'sendonce.status/1', at: absolute(now()), ...facts, attention: attentionOf(facts, command) };
}

const NO_LETTERS: OpenLetters = { dead: 0, failed: 0, parked: 0, reasons: [], ages: [], isComplete: true };

async function openLetters(ledger: Ledger, now: number): Promise<OpenLetters> {
  const counts = new LetterCounts();
  let read = 0;
  let isComplete = true;
  for await (const { items, cursor } of letters(ledger, { filter: {}, states: DEAD_LETTER_STATES, ids: [] })) {
    for (const record of items) if (record.replacedBy === null) counts.add(record, now);
    read += items.length;
    isComplete = cursor === null;
    if (read >= MOST_READ) break;
  }
  const { state, reason, age } = counts.counts;
  const of = (name: string): number => state.find((each) => each.name === name)?.count ?? 0;
  const byState = { dead: of('dead'), failed: of('failed'), parked: of('parked') };
  return { ...byState, reasons: reason.slice(0, 10), ages: age, isComplete };
}

const WAITING = ['retry-scheduled', 'unknown'] as const satisfies readonly DeliveryState[];

/** What is late already is due now, whoever is at it. */
async function waitingOf(ledger: Ledger, { deliveries }: Counts): Promise<WaitingDeliveries> {
  const reasons = new Tally();
  let nextDueAt = Infinity;
  let read = 0;
  let isComplete = true;
  if (WAITING.some((state) => deliveries[state] > 0))
    for await (const { items, cursor } of pages(ledger, { states: WAITING })) {
      for (const { reason, dueAt } of items) {
        reasons.add(reasonGroup(reason));
        nextDueAt = Math.min(nextDueAt, dueAt);
      }
      read += items.length;
      isComplete = cursor === null;
      if (read >= MOST_READ) break;
    }
  return {
    reasons: reasons.counts.slice(0, 10),
    nextDueAt: nextDueAt === Infinity ? null : absolute(nextDueAt),
    isComplete,
  };
}

/** The first page of each state is enough to notice. */
async function putBackOf(ledger: Ledger): Promise<readonly CountOf[]> {
  const reasons = new Tally();
  for (const state of ['accepted', 'expanding'] as const satisfies readonly NotificationState[]) {
    const { items } = await answering(
      'list notifications',
      ledger.listNotifications({ states: [state] }, { limit: PAGE }),
    );
    for (const { reason } of items) if (reason !== null) reasons.add(reasonGroup(reason));
  }
  return reasons.counts;
}

/** No port lists what is paused; those that wait for it say so. The first page of each state is enough to notice. */
async function blockedOf(ledger: Ledger): Promise<readonly CountOf[]> {
  const scopes = new Tally();
  for (const state of ['queued', 'retry-scheduled'] as const satisfies readonly DeliveryState[]) {
    const { items } = await answering('list deliveries', ledger.list({ states: [state] }, { limit: PAGE }));
    for (const { reason } of items) {
      const scope = /^blocked: (.+)$/.exec(reason ?? '')?.[1];
      if (scope !== undefined) scopes.add(scope);
    }
  }
  return scopes.counts;
}

async function failedOf(ledger: Ledger): Promise<readonly FailedNotification[]> {
  const page = await answering(
    'list notifications',
    ledger.listNotifications({ states: ['failed'] }, { limit: MOST_FAILED }),
  );
  return page.items.map(({ id, type, reason }) => ({ id, type, reason }));
}
