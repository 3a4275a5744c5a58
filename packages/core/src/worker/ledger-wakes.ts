import type { LedgerWakes } from '../ports/ledger.ts';
import type { Context } from '../stages/context.ts';
import { paced } from '../stages/paced.ts';
import type { Decider } from './decider.ts';
import type { Nap } from './nap.ts';

/** Looks for due work that wakes may cause, at least so far apart, ms: a ledger that never stops waking is asked no more often. */
const APART_MS = 50;
/** How long after its end a worker listens again, ms: twice as long each time, until it has heard for longer than the longest. */
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

export interface Sleepers {
  readonly nap: Pick<Nap, 'wake'>;
  readonly decider: Pick<Decider, 'wake'> | null;
}

/** Without a queue: cuts the pauses between polls short when the ledger says that something is due. The polls go on, whatever becomes of it. */
export async function hearLedger(
  { ledger, clock, random }: Pick<Context, 'ledger' | 'clock' | 'random'>,
  { nap, decider }: Sleepers,
  signal: AbortSignal,
): Promise<void> {
  const { wakes = null } = ledger.capabilities;
  if (wakes === null) return;
  const wake = (): void => {
    nap.wake();
    decider?.wake();
  };
  const onWake = paced(wake, { clock, everyMs: APART_MS, signal });
  let waitMs = FIRST_MS;
  while (!signal.aborted) {
    const began = clock.monotonic();
    await listenUntil(wakes, onWake, signal);
    if (signal.aborted) return;
    if (clock.monotonic() - began > LONGEST_MS) waitMs = FIRST_MS;
    // Workers that lost one server do not come back to it as one.
    await clock.sleep(Math.ceil(waitMs * (0.5 + random.next() / 2)), signal);
    waitMs = Math.min(2 * waitMs, LONGEST_MS);
  }
}

/** Over with the signal at the latest, whether `listen` looks at it or not. What it fails with is for the ledger to tell: work is found without it. */
async function listenUntil(wakes: LedgerWakes, onWake: () => void, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const stopped = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true, signal: over.signal }),
  );
  // In a function of its own: one that throws is one that rejects.
  const listened = (async () => wakes.listen(onWake, signal))().catch(() => undefined);
  await Promise.race([listened, stopped]);
  over.abort('over');
}
