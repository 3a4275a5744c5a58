import { kindOf, type DeliveryRecord, type DeliveryState, type Ledger, type NotifierConfig } from '@sendonce/core';
import { answering } from './answering.ts';
import { reasonOf } from './lack.ts';
import { fits, ledgerFilter, NOT_REPLACED, type LetterFilter } from './letter-filter.ts';
import { PAGE, pages } from './pages.ts';

export interface Wanted {
  readonly filter: LetterFilter;
  /** What is listed; a delivery that is named by its id is there in whatever state. */
  readonly states: readonly DeliveryState[];
  /** Deliveries, or notifications that stand for all of theirs; none: whatever the filter fits. */
  readonly ids: readonly string[];
  readonly cursor?: string | null;
  /** False leaves out what was sent again. @defaultValue true */
  readonly withReplaced?: boolean;
  /** Gives a reason to what has none itself because nobody could try it. */
  readonly config?: NotifierConfig;
}

export interface Letters {
  readonly items: readonly DeliveryRecord[];
  /** Ids that were named and are not in this ledger. */
  readonly absent: readonly string[];
  /** Where the next page begins; null at the end. */
  readonly cursor: string | null;
}

/**
 * Pages over them, in the order in which they were made. A replay changes neither the state nor the place of what it replaces, and what
 * it makes comes at the end, so nothing is passed over or met twice by replaying between two pages.
 */
export async function* letters(
  ledger: Ledger,
  { filter, states, ids, cursor = null, withReplaced = true, config }: Wanted,
): AsyncGenerator<Letters> {
  const named = [...new Set(ids)];
  if (named.length === 0) {
    const more = withReplaced ? {} : NOT_REPLACED;
    yield* listed(ledger, { filter, states, cursor, config, ...more });
    return;
  }
  const deliveries = named.filter((id) => kindOf(id) === 'delivery');
  for (let at = 0; at < deliveries.length; at += PAGE)
    yield await namedLetters(ledger, deliveries.slice(at, at + PAGE), filter);
  for (const id of named.filter((each) => kindOf(each) === 'notification')) {
    const [known] = await answering('find a notification', ledger.findNotifications([id]));
    if (known === null || known === undefined) yield { items: [], absent: [id], cursor: null };
    else yield* listed(ledger, { filter, states, cursor: null, notificationId: id });
  }
}

interface Listed {
  readonly filter: LetterFilter;
  readonly states: readonly DeliveryState[];
  readonly cursor: string | null;
  readonly config?: NotifierConfig | undefined;
  readonly notificationId?: string;
  readonly redrivesBelow?: number;
}

async function* listed(ledger: Ledger, { filter, states, cursor, config, ...more }: Listed): AsyncGenerator<Letters> {
  const asked = { states, ...ledgerFilter(filter), ...more };
  const told = (record: DeliveryRecord): DeliveryRecord =>
    config === undefined ? record : { ...record, reason: reasonOf(record, config) };
  for await (const page of pages(ledger, asked, cursor))
    yield { items: page.items.map(told).filter((record) => fits(record, filter)), absent: [], cursor: page.cursor };
}

async function namedLetters(ledger: Ledger, ids: readonly string[], filter: LetterFilter): Promise<Letters> {
  const found = await answering('find deliveries', ledger.find(ids));
  const items = found.filter((record) => record !== null && fits(record, filter)) as readonly DeliveryRecord[];
  return { items, absent: ids.filter((_id, at) => (found[at] ?? null) === null), cursor: null };
}
