import type { Counts, Ledger } from '@sendonce/core';
import type { RealEnd } from './facts.ts';
import { mailboxBytes } from './mailbox-file.ts';
import { isAtRest, settledIn, type Patience } from './patience.ts';
import { pause } from './pause.ts';

const LOOK_EVERY_MS = 50;
const ROOM_EVERY_MS = 1_000;
/** As many are looked at to see whether anything still has its time before it. */
const MOST_WAITING = 1_000;

/** What is watched until nothing is left to do, or nobody will do it. */
export interface Watched {
  readonly ledger: Ledger;
  readonly mailbox: string;
  readonly patience: Patience;
  /** On the clock of the run. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Throws where the run itself has no room left to write. */
  readonly checkRoom: () => void;
  /** Throws what broke the run elsewhere. */
  readonly checkOthers: () => void;
  /** The ledger's server was just struck, and may not answer. */
  readonly mayBeAway: () => boolean;
  readonly onSettled: (settled: number) => void;
  readonly isPublished: () => boolean;
  /** Nobody is being struck. */
  readonly isQuiet: () => boolean;
  /** Nobody is about to come back. */
  readonly isComplete: () => boolean;
  /** Messages in the queue; Infinity where it does not say. */
  readonly depth: () => Promise<number>;
}

/** What one look shows. */
export interface Look {
  /** Host ms. */
  readonly at: number;
  /** Everything that a step of anybody would change, as a text to compare. */
  readonly state: string;
  /** Somebody is busy with what no record shows: publishing, a strike, a return. */
  readonly isBusy: boolean;
}

/** The last look, and when something had moved by then. */
export type Seen = Pick<Look, 'state'> & { readonly movedAt: number };

export function seenAfter(before: Seen, { at, state, isBusy }: Look): Seen {
  return { state, movedAt: isBusy || state !== before.state ? at : before.movedAt };
}

/** Looks again and again. @throws what `checkOthers` and `checkRoom` throw; SendonceError HARNESS_FAILED when the mailbox is gone */
export async function watch(watched: Watched): Promise<RealEnd> {
  const { mailbox, patience, signal, onSettled, isPublished, isQuiet, isComplete, checkRoom } = watched;
  const startedAt = performance.now();
  let seen: Seen = { state: '', movedAt: startedAt };
  let checkedAt = startedAt;
  for (;;) {
    if (signal.aborted) return 'interrupted';
    watched.checkOthers();
    const counts = await countOf(watched);
    if (counts === null) {
      seen = { ...seen, movedAt: performance.now() };
      await pause(LOOK_EVERY_MS, signal);
      continue;
    }
    onSettled(settledIn(counts));
    const at = performance.now();
    if (at - checkedAt > ROOM_EVERY_MS) {
      checkRoom();
      checkedAt = at;
    }
    const isBusy = !isPublished() || !isQuiet() || !isComplete();
    const { deliveries, notifications } = counts;
    seen = seenAfter(seen, {
      at,
      state: JSON.stringify([deliveries, notifications, mailboxBytes(mailbox), isBusy]),
      isBusy,
    });
    // Whoever is to come back much later is not waited for: nothing is left for it to do.
    const isDone = isPublished() && isQuiet() && isAtRest(counts);
    if (isDone && (at - seen.movedAt > patience.drainMs || (await watched.depth()) === 0)) return 'settled';
    if (at - seen.movedAt > patience.quietMs) {
      if (!(await isSomethingDue(watched))) return isDone ? 'settled' : 'quiet';
      seen = { ...seen, movedAt: at };
    }
    if (at - startedAt > patience.mostMs) return 'timeout';
    await pause(LOOK_EVERY_MS, signal);
  }
}

/** Null: it does not answer, and that was to be expected. */
async function countOf({ ledger, mayBeAway }: Watched): Promise<Counts | null> {
  try {
    return await ledger.count();
  } catch (error) {
    if (mayBeAway()) return null;
    throw error;
  }
}

/** A retry or a look at something unknown has its time still before it. */
async function isSomethingDue({ ledger, now }: Watched): Promise<boolean> {
  const { items } = await ledger.list({ states: ['retry-scheduled', 'unknown'] }, { limit: MOST_WAITING });
  return items.some(({ dueAt }) => dueAt > now());
}
