import assert from 'node:assert/strict';
import type { DeliveryRecord, Ledger, NotificationRecord, Page } from '@sendonce/core';
import { isNotificationOver } from '@sendonce/core/internal';
import type { Call, Side } from './known.ts';

/** Times of a clock, and not durations: later than this, epoch ms. */
const CLOCK_FROM = Date.UTC(2001, 0);

/** What a ledger answered, with times told from its own start, so that two clocks can be compared. A call that throws answers its code. */
export async function answerOf(call: Call, { subject: { ledger }, startMs }: Side): Promise<unknown> {
  try {
    return fromStart(await call(ledger), startMs);
  } catch (thrown) {
    // A broken law is not an answer.
    if (thrown instanceof assert.AssertionError) throw thrown;
    return { threw: (thrown as { code?: unknown }).code ?? String(thrown) };
  }
}

/** Everything that can be read of what is known. */
export async function stateOf({ subject: { ledger }, known, startMs }: Side): Promise<State> {
  const [deliveries, notifications, counts, listed, ...histories] = await Promise.all([
    ledger.find(known.deliveries),
    ledger.findNotifications(known.notifications),
    ledger.count(),
    listedOf(ledger),
    ...known.deliveries.map((id) => ledger.history(id)),
  ]);
  return {
    records: fromStart({ deliveries, notifications, counts, listed }, startMs),
    histories: histories.map((history) => history.map((move) => fromStart(move, startMs))),
  };
}

/** Read page by page, of two; in which order is the ledger's own affair. */
async function listedOf(ledger: Ledger): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null, pages = 0; pages < MOST_PAGES; pages += 1) {
    const page: Page<{ readonly id: string }> = await ledger.list({}, { limit: 2, cursor });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.cursor;
    if (cursor === null) break;
  }
  return ids.sort();
}
const MOST_PAGES = 100;

interface State {
  readonly records: unknown;
  /** Of each delivery; [] where it is not kept (any more), which says nothing. */
  readonly histories: readonly (readonly unknown[])[];
}

/** A copy in which every time counts from the start, a fence is only there, what is undefined is not, and nor is what a ledger may erase. */
export function fromStart(value: unknown, startMs: number): unknown {
  if (typeof value === 'number') return value > CLOCK_FROM ? `start + ${value - startMs}` : value;
  if (Array.isArray(value)) return value.map((each) => fromStart(each, startMs));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(lasting(value))
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => [name, name === 'fence' ? each !== null : fromStart(each, startMs)]),
  );
}

/** When the content of what is settled is erased is each ledger's own affair. */
function lasting(value: object): object {
  if (isSettledDelivery(value)) return { ...value, message: null, target: { ...value.target, data: null } };
  return isPastNotification(value) ? { ...value, data: null } : value;
}

function isSettledDelivery(value: object): value is DeliveryRecord {
  return 'settledAt' in value && value.settledAt !== null && 'target' in value;
}

function isPastNotification(value: object): value is NotificationRecord {
  return 'pages' in value && isNotificationOver((value as NotificationRecord).state);
}

/** What has no order of its own, in one. */
export function byId<T extends { readonly id: string }>(items: readonly T[]): readonly T[] {
  return [...items].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
