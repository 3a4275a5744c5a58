import type { ForgetVerdict, Ledger, NotificationRecord } from '@sendonce/core';
import { answering } from '../answering.ts';
import { pause } from '../pause.ts';
import { Refusals, type Refusal } from '../tally.ts';
import { notificationsIn } from './read-archive.ts';

/** What is forgotten was over for as long at least, ms: before that, providers still tell what became of it, and queues still hold wakes. */
export const LEAST_AGE_MS = 86_400_000;
/** Notifications of one call. */
const BATCH = 100;
/** One of a million deliveries is forgotten in a thousand turns, ms. Whoever waits for it may end this at any time. */
const ANSWER_MS = 3_600_000;

export interface Forgotten {
  readonly notifications: number;
  /** They were not in the ledger any more. */
  readonly absent: number;
  /** They have changed since they were archived, or are others than those in the file, and stay; by what holds them. */
  readonly held: readonly Refusal[];
}

export interface Forgetting {
  readonly ledger: Ledger;
  readonly now: () => number;
  /** What the archive holds was over before this, epoch ms. */
  readonly before: number;
  /** Notifications a second; null: as fast as it goes. */
  readonly rate: number | null;
  /** Stops after the batch in flight. */
  readonly signal: AbortSignal;
  /** After each batch. */
  readonly told: (result: Forgotten) => void;
}

/**
 * Forgets what a whole archive holds, in its order. What has changed since is held by the ledger, which looks at everything again itself.
 * @throws SendonceError LEDGER_UNAVAILABLE and the like; `told` has heard of all that is done, and running it again goes on.
 */
export async function forgetArchived(
  file: string,
  { ledger, now, before, rate, signal, told }: Forgetting,
): Promise<Forgotten> {
  const held = new Refusals();
  const sums = { notifications: 0, absent: 0 };
  const result = (): Forgotten => ({ ...sums, held: held.list });

  function count(id: string, verdict: ForgetVerdict): void {
    switch (verdict.kind) {
      case 'forgotten':
        sums.notifications += 1;
        return;
      case 'absent':
        sums.absent += 1;
        return;
      case 'open':
        return held.add(verdict.hold, id);
    }
  }

  const size = rate === null ? BATCH : Math.max(1, Math.min(BATCH, Math.floor(rate)));
  for await (const archived of notificationsIn(file, size)) {
    if (signal.aborted) break;
    const begun = performance.now();
    const ids = await same(ledger, archived, (id) => held.add('other', id));
    // A clock that is set back meanwhile does not make it less.
    const requests = ids.map((id) => ({ id, settledForMs: Math.max(LEAST_AGE_MS, now() - before) }));
    const verdicts = await answering('forget', ledger.forget(requests), ANSWER_MS);
    verdicts.forEach((verdict, at) => count(ids[at] ?? '', verdict));
    told(result());
    if (rate !== null) await pause((archived.length / rate) * 1_000 + begun, signal);
  }
  return result();
}

/**
 * Those that the ledger does not have otherwise. Ids are derived from keys: in the ledger of another environment, what has the id of one in the
 * file may be something else, which is in no archive.
 */
async function same(
  ledger: Ledger,
  archived: readonly NotificationRecord[],
  onOther: (id: string) => void,
): Promise<readonly string[]> {
  const found = await answering('findNotifications', ledger.findNotifications(archived.map(({ id }) => id)));
  return archived.flatMap(({ id, acceptedAt, fingerprint }, at) => {
    const own = found[at] ?? null;
    if (own === null || (own.acceptedAt === acceptedAt && own.fingerprint === fingerprint)) return [id];
    onOther(id);
    return [];
  });
}
