import type { DeliveryVerdict, Lease } from '@sendonce/core';
import { recordLedger, type Records } from '@sendonce/core/records';
import type { Found } from '../ahead/facts.ts';
import { known, type Known } from '../ahead/known.ts';
import type { Memory } from '../ahead/memory.ts';
import { keepWritten } from '../ahead/remembered.ts';
import { runOf, type Run } from '../ahead/run.ts';
import { firstScan } from '../ahead/scan.ts';
import type { AheadStore } from '../ahead/transact.ts';
import { plain } from '../ahead/plain.ts';
import { foundIn } from './facts.ts';
import { isConflict } from './failures.ts';
import { GRANTED, grantStatement, undoStatement, type GrantRequest } from './grant-statement.ts';
import type { CheckedOptions } from './options.ts';

export interface GrantOptions extends Pick<CheckedOptions, 'query' | 'schema' | 'quarantineMs'> {
  readonly store: AheadStore;
  readonly memory: Memory;
}

/**
 * Claims due work in one statement, where all of it simply waits for its first or next attempt. The statement only goes ahead of the step:
 * it grants, and answers what the records were; the step then decides on those, and what it would not have written just so is undone.
 * Null: not that simple, nothing was granted.
 */
export async function grantDue(
  { due, lateMs }: { readonly due: number; readonly lateMs: number },
  lease: Lease,
  { query, schema, quarantineMs, store, memory }: GrantOptions,
): Promise<{ readonly verdicts: readonly DeliveryVerdict[]; readonly wantsHousekeeping: boolean } | null> {
  const request: GrantRequest = { schema, due, lateMs, lease };
  const { text, values } = grantStatement(request);
  const askedAt = memory.monotonic();
  const rows = await query(text, values, true).catch((error: unknown) => {
    if (isConflict(error)) return null;
    throw error;
  });
  if (rows === null) return null;
  const found = foundIn(rows);
  memory.saw(found.store, askedAt);
  const isGranted = rows.find(({ kind }) => kind === 'store')?.[GRANTED] === 'true';
  if (!isGranted) return null;

  const seen = entered(found, { due, lateMs, lease });
  const decided = await decide(seen, { selector: { due, lateMs }, lease, quarantineMs, store });
  if (!isAsGranted(decided.run, found, lease)) {
    const undo = undoStatement(
      rows.filter(({ kind }) => kind === 'd'),
      request,
    );
    await query(undo.text, undo.values);
    return null;
  }
  keepWritten(decided.run, seen, store, memory);
  keepSuppressed(found, memory);
  return { verdicts: decided.verdicts, wantsHousekeeping: decided.run.wantsHousekeeping };
}

/** Who of them opted out of what, for the mark that follows. */
function keepSuppressed({ store, deliveries, answers }: Found, memory: Memory): void {
  if (!store.hasSuppressions) return;
  for (const { record } of deliveries) {
    if (record === undefined) continue;
    const about = [plain(record.tenant), plain(record.target.recipientId)] as const;
    const rows = answers.filter(({ kind, a, b }) => kind === 'suppressed' && a === about[0] && b === about[1]);
    memory.keepSuppressed(about, store.gates, rows);
  }
}

/** As if the call had read them. */
function entered(found: Found, { due, lateMs, lease }: Omit<GrantRequest, 'schema'>): Known {
  const seen = known();
  const scan = firstScan('work', lateMs, due);
  const questions = [scan, { kind: 'request', a: plain(lease.requestId), b: '' } as const];
  const answers = found.deliveries.map(({ id }) => ({ ...scan, x: id, y: '' }));
  seen.enter({ ...found, answers }, { deliveries: new Set(), notifications: new Set(), questions });
  return seen;
}

interface Deciding {
  readonly selector: { readonly due: number; readonly lateMs: number };
  readonly lease: Lease;
  readonly quarantineMs: number;
  readonly store: AheadStore;
}

/** The call itself, on what was read; what else it asks for (evidence that waits) is read too. */
async function decide(
  seen: Known,
  { selector, lease, quarantineMs, store }: Deciding,
): Promise<{ readonly verdicts: readonly DeliveryVerdict[]; readonly run: Run }> {
  for (;;) {
    const run = runOf(seen, { quarantineMs, skip: () => 0 });
    const one = recordLedger({
      transact: (work: (records: Records) => unknown) => Promise.resolve(work(run.records) as never),
    });
    const verdicts = await one.claim(selector, lease);
    const wanted = seen.missing();
    if (wanted === null) return { verdicts, run };
    seen.enter(await store.read(wanted, { withoutMessages: false }), wanted);
  }
}

/** Whether the step changes what the statement changed, and nothing else. */
function isAsGranted(run: Run, { deliveries, store }: Found, lease: Lease): boolean {
  const { notifications, evidence } = run;
  const dirty = [...run.deliveries.entries()].filter(({ isDirty }) => isDirty);
  const isPlain = dirty.every(({ fact, record, story }) => {
    const { state, fence, leaseUntil, requestId, attempts, lapses, provider } = record;
    const before = fact?.record;
    const isOne = story.indexOf('\n') === story.length - 1;
    const isHeld = state === 'processing' && fence === store.fence && requestId === lease.requestId;
    const isLeased = leaseUntil === store.nowMs + lease.leaseMs;
    return (
      isOne &&
      isHeld &&
      isLeased &&
      attempts === before?.attempts &&
      lapses === before.lapses &&
      provider === before.provider
    );
  });
  const others = [notifications.opened.size, evidence.taken.size, evidence.kept().length, run.refusedMoves];
  return isPlain && dirty.length === deliveries.length && others.every((count) => count === 0);
}
