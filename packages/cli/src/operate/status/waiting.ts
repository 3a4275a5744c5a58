import type { Counts, Ledger, NotificationState, NotifierConfig } from '@sendonce/core';
import { answering } from '../answering.ts';
import type { Desk } from '../desk.ts';
import { lackOf, pausedOf } from '../lack.ts';
import { PAGE } from '../pages.ts';
import { reasonGroup } from '../reason-group.ts';
import { Tally, type CountOf } from '../tally.ts';
import { absolute } from '../words.ts';
import type { StatusReport } from './report.ts';
import { scan } from './scan.ts';

type Waiting = Pick<StatusReport, 'waiting' | 'blocked' | 'lacking' | 'clockBehindMs'>;

/** What waits, and for what: its time, a pause that somebody has to lift, or something that the config lacks. */
export async function waitingOf(
  { ledger, config, now }: Pick<Desk, 'ledger' | 'config' | 'now'>,
  { deliveries }: Counts,
): Promise<Waiting> {
  const reasons = new Tally();
  const blocked = new Tally();
  const lacking = new Tally();
  const due = { next: Infinity, expiry: Infinity };
  let latest = 0;
  const read = (states: readonly ('queued' | 'retry-scheduled' | 'unknown')[]): Promise<boolean> =>
    states.every((state) => deliveries[state] === 0)
      ? Promise.resolve(true)
      : scan(ledger, { states }, (record) => {
          const { state, reason, dueAt, expiresAt } = record;
          latest = Math.max(latest, record.updatedAt);
          const paused = pausedOf(record);
          if (paused !== null) blocked.add(paused);
          const lack = paused === null ? lackOf(record, config) : null;
          if (lack !== null) {
            lacking.add(lack);
            due.expiry = Math.min(due.expiry, expiresAt ?? Infinity);
          }
          if (state === 'queued') return;
          reasons.add(reasonGroup(reason));
          due.next = Math.min(due.next, dueAt);
        });
  await read(['queued']);
  const isComplete = await read(['retry-scheduled', 'unknown']);
  return {
    waiting: { reasons: reasons.counts.slice(0, 10), nextDueAt: timeOf(due.next), isComplete },
    blocked: blocked.counts,
    lacking: { reasons: lacking.counts, firstExpiresAt: timeOf(due.expiry) },
    clockBehindMs: Math.max(0, latest - now()),
  };
}

function timeOf(at: number): string | null {
  return at === Infinity ? null : absolute(at);
}

/** Why workers put notifications back. The first page of each state is enough to notice. */
export async function putBackOf(ledger: Ledger, { notifications }: NotifierConfig): Promise<readonly CountOf[]> {
  const reasons = new Tally();
  for (const state of ['accepted', 'expanding'] as const satisfies readonly NotificationState[]) {
    const { items } = await answering(
      'list notifications',
      ledger.listNotifications({ states: [state] }, { limit: PAGE }),
    );
    for (const { reason, type } of items) {
      if (reason !== null) reasons.add(reasonGroup(reason));
      else if (!Object.hasOwn(notifications, type)) reasons.add(`type '${type}' is not in this config`);
    }
  }
  return reasons.counts;
}
