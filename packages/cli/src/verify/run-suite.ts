import { SendonceError } from '@sendonce/core';
import type { Law } from '@sendonce/core/conformance';
import { checkEmpty } from './check-empty.ts';
import { judge, type JudgeOptions } from './judge.ts';
import type { Judgement } from './judgement.ts';
import { Stalls } from './stalls.ts';
import { lawsOf, type Subject, type Suite } from './suite.ts';
import { Watch } from './watch.ts';

/** How long is waited to find out whether a new one is made each time. */
const PROBE_MS = 2_000;

export interface RunOptions extends JudgeOptions {
  readonly atOnce: number;
  /** Told of each law in the order of the laws. */
  readonly onJudged: (judgement: Judgement) => void;
}

/**
 * Runs the laws on one adapter, several at once, since most of their time is waiting. What was not judged when the signal came is missing.
 * @throws SendonceError MODULE_INVALID, STORE_NOT_EMPTY and what making an adapter throws; then nothing more is started.
 */
export async function runSuite(
  suite: Suite,
  laws: readonly Law<Subject>[],
  { atOnce, onJudged, ...options }: RunOptions,
): Promise<readonly Judgement[]> {
  if (suite.isOwn) await checkMakesNew(suite, options);
  const judged = new Map<number, Judgement>();
  const again: number[] = [];
  let told = 0;
  const keep = (i: number, judgement: Judgement | null): void => {
    if (judgement === null) return;
    judged.set(i, judgement);
    for (let each = judged.get(told); each !== undefined; each = judged.get((told += 1))) onJudged(each);
  };
  const stalls = new Stalls();
  try {
    await inLanes(laws.length, Math.min(atOnce, laws.length), options.signal, async (i) => {
      const stalled = stalls.since();
      const judgement = await judge(laws[i]!, suite, options);
      // What waits for a time may have waited for its neighbours: it gets a turn of its own.
      if (judgement?.kind === 'broken' && atOnce > 1 && stalled() > judgement.unitMs / 2) again.push(i);
      else keep(i, judgement);
    });
    await inLanes(again.length, 1, options.signal, async (i) => {
      const law = again[i]!;
      keep(law, await judge(laws[law]!, suite, options));
    });
  } finally {
    stalls.stop();
  }
  const inOrder = [...judged].sort(([a], [b]) => a - b);
  // Cut short, what came after a law that was not judged is told all the same.
  for (const [i, judgement] of inOrder) if (i >= told) onJudged(judgement);
  return inOrder.map(([, judgement]) => judgement);
}

/** Does the work for 0, 1, 2, ... in so many lanes; after the first failure, or the signal, nothing more is begun. */
async function inLanes(
  count: number,
  lanes: number,
  signal: AbortSignal,
  work: (i: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let hasFailed = false;
  const lane = async (): Promise<void> => {
    while (next < count && !hasFailed && !signal.aborted) {
      try {
        await work(next++);
      } catch (thrown) {
        hasFailed = true;
        throw thrown;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  const failed = ended.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/**
 * Whether what is written into one of them is not in the next: else the laws would judge each other's remains.
 * @throws SendonceError STORE_NOT_EMPTY
 */
async function checkMakesNew(suite: Suite, { limitMs, signal }: JudgeOptions): Promise<void> {
  // It writes something, whatever laws were asked for.
  const first = lawsOf(suite.port, 0)[0]!;
  const watch = new Watch(Math.min(limitMs, PROBE_MS));
  const stop = (): void => watch.end();
  signal.addEventListener('abort', stop);
  const made: Subject[] = [];
  try {
    const work = async (): Promise<void> => {
      for (let i = 0; i < 2; i += 1) {
        const subject = await suite.make();
        made.push(subject);
        await checkEmpty(suite, subject);
      }
      const [written, other] = made as [Subject, Subject];
      // Whether it keeps this law is not asked yet.
      await first.check(written).catch(() => undefined);
      if (watch.isOver) return;
      await checkEmpty(suite, other).catch((cause: unknown) => {
        throw new SendonceError(
          'STORE_NOT_EMPTY',
          `what was written into one ${suite.port} of ${suite.from} is in the next one that it makes, too: let it make a new one each time, under a name, folder or schema of its own`,
          { cause },
        );
      });
    };
    const working = work();
    working.catch(() => undefined);
    await Promise.race([working, watch.late]).catch((thrown: unknown) => {
      // Whoever is too slow for this is told so law by law.
      if (!watch.isOver) throw thrown;
    });
  } finally {
    signal.removeEventListener('abort', stop);
    watch.end();
    await Promise.race([Promise.allSettled(made.map((each) => each.close())), later(PROBE_MS)]);
  }
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
