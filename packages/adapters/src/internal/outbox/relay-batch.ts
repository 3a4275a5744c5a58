import type { PublishItem } from '@sendonce/core';
import { isFields } from '@sendonce/core/internal';
import { publishEach, type Published, type PublisherLike } from '../publish-each.ts';
import { retryDelayMs } from '../retrying.ts';
import type { FailedRow, LeasedRow, OutboxStore } from './store.ts';

/** What became of one batch. */
export interface Relayed {
  readonly leased: number;
  readonly accepted: number;
  readonly repeated: number;
  /** Due again later. */
  readonly delayed: readonly FailedRow[];
  readonly setAside: readonly FailedRow[];
}

export interface Patience {
  readonly maxTries: number;
  readonly firstMs: number;
  readonly mostMs: number;
}

/** Publishes the rows, and only then says of each what became of it. */
export async function relayBatch(
  rows: readonly LeasedRow[],
  to: { readonly outbox: OutboxStore; readonly notifier: PublisherLike },
  patience: Patience,
): Promise<Relayed> {
  const { fresh, suspect, others } = sorted(rows);
  // What may have ended a relay is alone at stake, so that it takes no other row with it.
  if (others.length > 0) await to.outbox.release(others);
  const first = await relayRows(fresh, to, patience);
  if (suspect === null) return { ...first, leased: rows.length };
  const isPoison = suspect.leases > patience.maxTries;
  const last = isPoison ? await setPoisonAside(suspect, to.outbox) : await relayRows([suspect], to, patience);
  return {
    leased: rows.length,
    accepted: first.accepted + last.accepted,
    repeated: first.repeated + last.repeated,
    delayed: [...first.delayed, ...last.delayed],
    setAside: [...first.setAside, ...last.setAside],
  };
}

/** Pure. Rows of which an earlier lease ended without a word come one at a time. */
export function sorted(rows: readonly LeasedRow[]): {
  readonly fresh: readonly LeasedRow[];
  readonly suspect: LeasedRow | null;
  readonly others: readonly LeasedRow[];
} {
  const [suspect = null, ...others] = rows.filter(({ leases }) => leases > 1);
  return { fresh: rows.filter(({ leases }) => leases <= 1), suspect, others };
}

type Part = Omit<Relayed, 'leased'>;

async function setPoisonAside({ id, fence, leases }: LeasedRow, outbox: OutboxStore): Promise<Part> {
  const reason = `${leases - 1} relays in a row ended while they had it, and said nothing: it may be what ended them`;
  const setAside = [{ id, fence, reason, delayMs: null, isCounted: true }];
  await outbox.fail(setAside);
  return { accepted: 0, repeated: 0, delayed: [], setAside };
}

async function relayRows(
  rows: readonly LeasedRow[],
  { outbox, notifier }: { readonly outbox: OutboxStore; readonly notifier: PublisherLike },
  patience: Patience,
): Promise<Part> {
  const published = await publishEach(notifier, rows.map(publishOf));
  const done = rows.filter((_, i) => published[i]!.kind !== 'failed');
  const failed = rows.flatMap((row, i) => {
    const result = published[i]!;
    return result.kind === 'failed' ? [failureOf(row, result, { ...patience, isOutage: done.length === 0 })] : [];
  });
  if (done.length > 0) await outbox.done(done);
  if (failed.length > 0) await outbox.fail(failed);
  const count = (kind: Published['kind']): number => published.filter((each) => each.kind === kind).length;
  return {
    accepted: count('accepted'),
    repeated: count('repeated'),
    delayed: failed.filter(({ delayMs }) => delayMs !== null),
    setAside: failed.filter(({ delayMs }) => delayMs === null),
  };
}

/** Pure. What passes costs no try where nothing at all could be published: it is the ledger, not the row. */
export function failureOf(
  { id, fence, tries }: LeasedRow,
  { isForGood, reason }: Extract<Published, { kind: 'failed' }>,
  { maxTries, firstMs, mostMs, isOutage }: Patience & { readonly isOutage: boolean },
): FailedRow {
  const isCounted = isForGood || !isOutage;
  const isSpent = isCounted && tries + 1 >= maxTries;
  return { id, fence, reason, isCounted, delayMs: isSpent ? null : retryDelayMs(tries + 1, { firstMs, mostMs }) };
}

/** A row that somebody changed by hand is refused by `publish`, with its reason. */
function publishOf({ event }: LeasedRow): { readonly type: string; readonly item: PublishItem } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(event);
  } catch {
    parsed = null;
  }
  const { type, ...item } = isFields(parsed) ? parsed : {};
  return { type: typeof type === 'string' ? type : '', item: item as unknown as PublishItem };
}
