import { SendonceError } from '../model/errors.ts';
import type { NotificationRecord } from '../model/notification.ts';
import type { Ledger, SealRequest, SealVerdict } from '../ports/ledger.ts';
import type { TargetPages } from './target-reader.ts';

export function* pagesOf<T>(items: Iterable<T>, size: number): Generator<readonly T[]> {
  let page: T[] = [];
  for (const item of items) {
    page.push(item);
    if (page.length === size) {
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}

/**
 * Reads recipients once into ledger pages and seals them: memory holds one page. A second drain after a crash starts at page 0 and
 * replaces what an earlier one left, until the seal. `fence`: the router's; null from a producer.
 * @throws SendonceError NOTIFICATION_SEALED when it was sealed meanwhile with other recipients, PUBLISH_INTERRUPTED when another producer
 * stores them too; BrokenTargets when they cannot be read.
 */
export async function drain(
  ledger: Ledger,
  notification: NotificationRecord,
  pages: TargetPages,
  fence: number | null,
): Promise<NotificationRecord> {
  const { id: notificationId } = notification;
  let record = notification;
  try {
    for (let page = 0; ; page += 1) {
      const { targets: held, last } = await pages.page();
      const stored = await seal(ledger, { notificationId, page, targets: held, last, fence });
      if (stored === null) return record;
      record = stored;
      if (stored.sealed || last) return record;
    }
  } finally {
    pages.close();
  }
}

async function seal(ledger: Ledger, request: SealRequest): Promise<NotificationRecord | null> {
  const [verdict] = await ledger.seal([request]);
  return recordOf(verdict, request);
}

function recordOf(verdict: SealVerdict | undefined, request: SealRequest): NotificationRecord | null {
  switch (verdict?.kind) {
    case 'stored':
      return verdict.record;
    case 'sealed':
      if (verdict.same) return verdict.record;
      throw new SendonceError(
        'NOTIFICATION_SEALED',
        `notification ${request.notificationId} is sealed with other recipients on page ${request.page}; nothing was changed. Publish under another key`,
      );
    case 'cancelled':
      return null;
    case 'fenced':
    case 'absent':
    case undefined:
      // A router has lost its lease to somebody who goes on; a producer has nobody, so it has to know.
      if (request.fence !== null) return null;
      throw new SendonceError(
        'PUBLISH_INTERRUPTED',
        `page ${request.page} of the recipients of notification ${request.notificationId} was refused (${verdict?.kind ?? 'no verdict'}): ` +
          'another producer is storing them at the same time, or the ledger has lost the notification. Publish again',
      );
  }
}
