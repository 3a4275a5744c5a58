import { setTimeout as delay } from 'node:timers/promises';
import { SendonceError } from '@sendonce/core';
import type { Records, Transaction } from '@sendonce/core/records';
import type { AheadStore } from './ahead-store.ts';
import { isChange } from './changes.ts';
import { known, type Known } from './known.ts';
import type { Memory, Recall } from './memory.ts';
import { reservation, type Reservation } from './reservation.ts';
import { forget, isProven, keepWritten, pagesAhead } from './remembered.ts';
import { runOf, type Run } from './run.ts';

export type { AheadStore, WriteOptions } from './ahead-store.ts';

export interface Transacting {
  readonly store: AheadStore;
  readonly lockTimeoutMs: number;
  readonly quarantineMs: number;
  /** The ids that a call is about are those of deliveries to be made. */
  readonly makesDeliveries: boolean;
  /** How crowded it was lately: from 1 (alone) up. Lives as long as the ledger. */
  readonly crowd: { lanes: number };
  /** Of a store whose writes prove what was taken from it. */
  readonly memory?: Memory | null;
  /** The call looks there first. */
  readonly recalls?: boolean;
  /** The notifications that the call is about are new as a rule. */
  readonly makesNotifications?: boolean;
}

/** How long to wait after the nth lost race, ms: the first costs nothing, because whoever won is done. */
const MOST_WAIT_MS = 50;
/** Who has lost for this long asks the others to stand back, ms. */
const PATIENCE_MS = 500;
/** Scans for due work begin at random among up to this many batches, where workers get into each other's way. */
const MOST_LANES = 64;
/** How much of that is forgotten with each call that nobody was ahead of. */
const CALM = 0.9;

/**
 * Runs one call of the port: read what it looks at, let it decide here, write what it changed, on the condition that nobody changed
 * what it looked at. Whoever was overtaken reads again.
 * @throws SendonceError LEDGER_LOCKED when others are ahead of it for `lockTimeoutMs`; LEDGER_UNAVAILABLE and its like.
 */
export async function transact<T>(
  work: (records: Records) => T,
  about: Transaction,
  options: Transacting,
): Promise<{ readonly result: T; readonly run: Run; readonly known: Known }> {
  const reserved = reservation(options.store);
  let isFirst = true;
  try {
    const act = async (): ReturnType<typeof once<T>> => {
      const presumesAbsent = isFirst && options.makesDeliveries;
      const recall =
        isFirst && options.recalls === true ? (options.memory?.recall(options.makesDeliveries) ?? null) : null;
      isFirst = false;
      const done = await once(work, about, options, { reservedBy: reserved.name, presumesAbsent, recall });
      if (done !== null || recall === null) return done;
      // What was remembered is not so any more. Nobody was ahead of what is read now.
      return once(work, about, options, { reservedBy: reserved.name, presumesAbsent: false, recall: null });
    };
    return await patiently(act, reserved, options);
  } finally {
    // It ends by itself soon.
    await reserved.giveBack().catch(() => null);
  }
}

async function patiently<T>(
  act: () => Promise<T | null>,
  reserved: Reservation,
  { store, lockTimeoutMs, crowd }: Transacting,
): Promise<T> {
  const startedAt = performance.now();
  for (let lost = 0; ; lost += 1) {
    try {
      const done = await act();
      if (done !== null) {
        crowd.lanes = Math.max(1, crowd.lanes * CALM);
        return done;
      }
    } catch (error) {
      if (!store.isConflict(error)) throw store.unavailable(error);
    }
    crowd.lanes = Math.min(crowd.lanes * 2, MOST_LANES);
    const triedMs = performance.now() - startedAt;
    if (triedMs >= lockTimeoutMs)
      throw new SendonceError(
        'LEDGER_LOCKED',
        `${store.who}: others were ahead of this call for ${lockTimeoutMs} ms; nothing was written, and the call may be repeated`,
      );
    if (lost > 0) await delay(Math.random() * Math.min(2 ** lost, MOST_WAIT_MS));
    if (triedMs > PATIENCE_MS) await reserved.take();
  }
}

interface Trying {
  readonly reservedBy: string | null;
  readonly presumesAbsent: boolean;
  readonly recall: Recall | null;
}

/** Null: somebody was ahead. */
async function once<T>(
  work: (records: Records) => T,
  about: Transaction,
  options: Transacting,
  { reservedBy, presumesAbsent, recall }: Trying,
): Promise<{ readonly result: T; readonly run: Run; readonly known: Known } | null> {
  const { store, quarantineMs, crowd, makesDeliveries, makesNotifications = false, memory = null } = options;
  const { ids = [] } = about;
  const presumesNew = makesNotifications && recall !== null;
  const seen = known(presumesAbsent ? new Set(ids) : undefined, { recall, presumesNew });
  const lane = Math.floor(Math.random() * crowd.lanes);
  const skip = (expected: number): number => lane * expected;
  if (!presumesAbsent) seen.want(ids);
  for (;;) {
    const run = runOf(seen, { quarantineMs, skip });
    const tried = attempt(work, run.records);
    const wanted = seen.missing();
    if (wanted !== null) {
      seen.enter(await store.read(wanted, { withoutMessages: about.withoutMessages ?? false }), wanted);
      continue;
    }
    if (!isProven(run, seen, makesDeliveries)) return forget(seen, memory);
    if ('error' in tried) throw tried.error;
    const { result } = tried;
    if (!isChange(run, seen)) return { result, run, known: seen };
    const ahead = memory !== null && makesDeliveries ? pagesAhead(run, store, memory) : null;
    const isWritten = await store.write(run, seen, { speaking: ids, reservedBy, presumesNew });
    await ahead;
    if (!isWritten) return forget(seen, memory);
    if (memory !== null) keepWritten(run, seen, store, memory);
    return { result, run, known: seen };
  }
}

/** What a run that had to guess threw may be the guess's fault. */
function attempt<T>(
  work: (records: Records) => T,
  records: Records,
): { readonly result: T } | { readonly error: unknown } {
  try {
    return { result: work(records) };
  } catch (error) {
    return { error };
  }
}
