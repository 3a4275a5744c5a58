import { SendonceError, toTarget, type AddressRules, type Ledger, type NotificationRecord } from '@sendonce/core';
import type { People } from './people.ts';

/** How its pages were made. */
export interface PageOptions {
  readonly pageSize: number;
  readonly rules: AddressRules;
}

/** Pages per ledger call. */
const PAGES = 10;

/**
 * Whether a notification that was accepted before went to these very people. A list that is read page by page is no part of the
 * fingerprint, so a repeat with more people in it would look like the same one, and nobody would tell them.
 *
 * @throws SendonceError NOTIFICATION_CONFLICT
 */
export async function checkSamePeople(
  ledger: Ledger,
  { id, key, state, targets }: NotificationRecord,
  people: People,
  { pageSize, rules }: PageOptions,
): Promise<void> {
  if (state === 'cancelled') return;
  const isSame = targets === people.count && (await hasPages(ledger, id, people, { pageSize, rules }));
  if (isSame) return;
  throw new SendonceError(
    'NOTIFICATION_CONFLICT',
    `the key '${key}' was accepted before with another list of recipients: ${targets} then, ${people.count} now. Nothing was written. ` +
      'Use another key for another message; send the same list to repeat this one',
  );
}

async function hasPages(
  ledger: Ledger,
  notificationId: string,
  people: People,
  { pageSize, rules }: PageOptions,
): Promise<boolean> {
  let from = 0;
  for await (const pages of grouped(grouped(people.read(), pageSize), PAGES)) {
    const requests = pages.map((inputs, at) => ({
      notificationId,
      page: from + at,
      targets: inputs.map((each) => toTarget(each, rules)),
      // It is sealed: nothing of this is written.
      last: false,
      fence: null,
    }));
    const verdicts = await ledger.seal(requests);
    if (!verdicts.every((verdict) => verdict.kind === 'sealed' && verdict.same)) return false;
    from += pages.length;
  }
  return true;
}

async function* grouped<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
