import { reasonToSkip, type Law } from '@sendonce/core/conformance';
import { checkEmpty } from './check-empty.ts';
import { evidenceOf, type Judgement } from './judgement.ts';
import type { Subject, Suite } from './suite.ts';
import { TooLate, Watch } from './watch.ts';

export interface JudgeOptions {
  /** Of the adapter's own time. */
  readonly limitMs: number;
  /** Nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/**
 * Runs one law on an adapter of its own; null when nobody waited for it. A broken law is a result.
 * @throws SendonceError MODULE_INVALID, STORE_NOT_EMPTY and what making one throws.
 */
export async function judge(
  law: Law<Subject>,
  suite: Suite,
  { limitMs, signal }: JudgeOptions,
): Promise<Judgement | null> {
  const watch = new Watch(limitMs);
  const stop = (): void => watch.end();
  signal.addEventListener('abort', stop);
  let subject: Subject | null = null;
  try {
    subject = watched(await Promise.race([suite.make(), watch.late]), watch);
    const reason = reasonToSkip(law, subject);
    if (reason !== null) return { kind: 'skipped', law: law.law, reason: because(reason) };
    await Promise.race([checkEmpty(suite, subject), watch.late]);
    const judgement = await checked(law, subject, watch);
    return signal.aborted ? null : judgement;
  } catch (thrown) {
    if (signal.aborted) return null;
    if (thrown instanceof TooLate) return broken(law, thrown, subject);
    throw thrown;
  } finally {
    signal.removeEventListener('abort', stop);
    if (subject !== null) await closed(subject, limitMs);
    watch.end();
  }
}

async function checked(law: Law<Subject>, subject: Subject, watch: Watch): Promise<Judgement> {
  try {
    const check = law.check(subject);
    // Given up, it fails later, and nobody listens any more.
    check.catch(() => undefined);
    await Promise.race([check, watch.late]);
    return { kind: 'kept', law: law.law };
  } catch (thrown) {
    return broken(law, thrown, subject);
  }
}

function broken({ law }: Law<Subject>, thrown: unknown, subject: Subject | null): Judgement {
  return { kind: 'broken', law, unitMs: subject?.unitMs ?? Infinity, ...evidenceOf(thrown) };
}

function watched(subject: Subject, watch: Watch): Subject {
  const elapse = (ms: number): Promise<void> => watch.letPass(() => subject.elapse(ms));
  if ('queue' in subject) return { ...subject, elapse, queue: watch.port(subject.queue) };
  if ('ledger' in subject) return { ...subject, elapse, ledger: watch.port(subject.ledger) };
  if ('destinations' in subject) return { ...subject, elapse, destinations: watch.port(subject.destinations) };
  return { ...subject, elapse, inbox: watch.port(subject.inbox), other: watch.port(subject.other) };
}

/** The law has been judged: what cannot be closed is a law of its own ("lets itself be closed twice"), and nobody waits for it here. */
async function closed(subject: Subject, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  try {
    await Promise.race([subject.close(), over]);
  } catch {
    // It is not what was asked about.
  } finally {
    clearTimeout(timer);
  }
}

/** What laws name in one word, and a module may give. */
const NEEDS: readonly (readonly [name: string, words: string])[] = [
  ['amnesia', 'a way to make the store forget; return { ledger, loseMemory } where there is one'],
  ['elapse', 'a clock that moves only when it is told to; return { ledger, elapse } where there is one'],
];

function because(reason: string): string {
  const need = NEEDS.find(([name]) => reason.startsWith(`needs '${name}'`));
  return need === undefined ? reason : `needs '${need[0]}': ${need[1]}`;
}
