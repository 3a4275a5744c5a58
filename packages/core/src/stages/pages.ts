import type { Targets } from '../config.ts';
import { reasonOf, SendonceError } from '../model/errors.ts';
import type { NotificationRecord } from '../model/notification.ts';
import { toTarget, type Target, type TargetInput } from '../model/recipient.ts';
import type { Ledger, SealRequest, SealVerdict } from '../ports/ledger.ts';

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

/** The recipients could not be read: the fault of whoever gave them, not of the ledger. */
export class BrokenTargets extends Error {
  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
    this.name = 'BrokenTargets';
  }
}

async function* readable(targets: Targets): AsyncGenerator<TargetInput> {
  try {
    for await (const target of targets) {
      if (typeof target !== 'object' || target === null) throw new TypeError(`a target must be an object, got ${String(target)}`);
      yield target;
    }
  } catch (thrown) {
    throw new BrokenTargets(thrown);
  }
}

export interface DrainOptions {
  readonly pageSize: number;
  /** The router's fence; null from a producer. */
  readonly fence: number | null;
}

/**
 * Reads recipients once into ledger pages and seals them: memory holds one page. A second drain after a crash starts at page 0 and
 * replaces what an earlier one left, until the seal.
 * @throws SendonceError NOTIFICATION_SEALED when it was sealed meanwhile with other recipients, PUBLISH_INTERRUPTED when another producer
 * stores them too; BrokenTargets when they cannot be read.
 */
export async function drain(ledger: Ledger, notification: NotificationRecord, targets: Targets, options: DrainOptions): Promise<NotificationRecord> {
  const { id } = notification;
  let page = 0;
  let record = notification;
  let held: Target[] = [];
  const put = async (last: boolean): Promise<boolean> => {
    const verdict = await seal(ledger, { notificationId: id, page, targets: held, last, fence: options.fence });
    page += 1;
    held = [];
    if (verdict === null) return false;
    record = verdict;
    return !verdict.sealed || last;
  };
  // One target of look-ahead tells the last page, so an exact multiple of the page size needs no empty one.
  for await (const input of readable(targets)) {
    if (held.length === options.pageSize && !(await put(false))) return record;
    held.push(toTarget(input));
  }
  await put(true);
  return record;
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
      throw new SendonceError('NOTIFICATION_SEALED', `notification ${request.notificationId} is sealed with other recipients on page ${request.page}; nothing was changed. Publish under another key`);
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
