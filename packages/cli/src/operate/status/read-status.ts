import type { Ledger } from '@sendonce/core';
import { answering } from '../answering.ts';
import type { Desk } from '../desk.ts';
import { absolute } from '../words.ts';
import { attentionOf } from './attention.ts';
import type { FailedNotification, StatusReport } from './report.ts';
import { unsentOf } from './unsent.ts';
import { putBackOf, waitingOf } from './waiting.ts';

const MOST_FAILED = 3;

export async function readStatus(desk: Desk): Promise<StatusReport> {
  const { ledger, config, now, masks, command } = desk;
  const counts = await answering('count', ledger.count());
  const { accepted, expanding, failed } = counts.notifications;
  const facts = {
    ...counts,
    ledger: ledger.capabilities.file,
    ...(await unsentOf(ledger, config, counts, now())),
    ...(await waitingOf(desk, counts)),
    putBack: accepted + expanding === 0 ? [] : await putBackOf(ledger, config),
    failedNotifications: (failed === 0 ? [] : await failedOf(ledger)).map((each) => ({
      ...each,
      reason: each.reason === null ? null : masks.text(each.reason),
    })),
  };
  return { schema: 'sendonce.status/1', at: absolute(now()), ...facts, attention: attentionOf(facts, command) };
}

async function failedOf(ledger: Ledger): Promise<readonly FailedNotification[]> {
  const page = await answering(
    'list notifications',
    ledger.listNotifications({ states: ['failed'] }, { limit: MOST_FAILED }),
  );
  return page.items.map(({ id, type, reason }) => ({ id, type, reason }));
}
