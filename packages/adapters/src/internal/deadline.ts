import type { SendContext } from '@sendonce/core';

/** How long one send may still take. */
export interface Deadline {
  /** Milliseconds until no byte may leave; 0 or less once that has passed or the send was given up. */
  leftMs(): number;
  /** Milliseconds until this side gives up what has not left yet: a little earlier, so that "not sent" is still heard. */
  startMs(): number;
  readonly signal: AbortSignal;
}

/** Counts from this call, by two clocks: of a process that was paused or a host that slept, one of them sees it. */
export function deadlineOf({ deadlineMs, signal }: Pick<SendContext, 'deadlineMs' | 'signal'>): Deadline {
  const [monotonic, wall] = [performance.now() + deadlineMs, Date.now() + deadlineMs];
  const earlierMs = Math.min(1_000, deadlineMs / 10);
  const leftMs = (): number => (signal.aborted ? 0 : Math.min(monotonic - performance.now(), wall - Date.now()));
  return { leftMs, startMs: () => leftMs() - earlierMs, signal };
}

/** The longest that a timer of Node can wait; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls back once, when the time is up or the signal is aborted, whichever is first. What it returns calls that off. */
export function whenOver(ms: number, signal: AbortSignal, over: () => void): () => void {
  const stop = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', ended);
  };
  const ended = (): void => {
    stop();
    over();
  };
  const timer = setTimeout(ended, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
  signal.addEventListener('abort', ended);
  if (signal.aborted) queueMicrotask(ended);
  return stop;
}
