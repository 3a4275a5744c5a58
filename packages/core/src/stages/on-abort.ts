/** What each signal's end calls, once. */
const calls = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `then` when the signal aborts, at once if it has. Answers what takes that back. One listener per signal, however many wait for it:
 * the caller's own signal may serve a whole process, and warns of many.
 */
export function onAbort(signal: AbortSignal, then: () => void): () => void {
  if (signal.aborted) {
    then();
    return () => undefined;
  }
  const waiting = calls.get(signal) ?? listen(signal);
  waiting.add(then);
  return () => void waiting.delete(then);
}

function listen(signal: AbortSignal): Set<() => void> {
  const waiting = new Set<() => void>();
  calls.set(signal, waiting);
  const tell = (): void => {
    for (const then of waiting) then();
    waiting.clear();
  };
  signal.addEventListener('abort', tell, { once: true });
  return waiting;
}

/** Runs work for several, whose signal aborts when the last of theirs has. */
export async function whileAny<T>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const all = new AbortController();
  const left = new Set(signals);
  const forget = [...left].map((signal) =>
    onAbort(signal, () => {
      left.delete(signal);
      if (left.size === 0) all.abort('stopped');
    }),
  );
  try {
    return await work(all.signal);
  } finally {
    for (const each of forget) each();
  }
}
