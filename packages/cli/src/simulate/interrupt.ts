/** How long what is under way may take to end, once somebody pressed Ctrl-C. */
const PATIENCE_MS = 1_000;

export interface OnSignals {
  readonly stop: () => void;
  readonly end: () => void;
  /** @defaultValue 1_000 */
  readonly patienceMs?: number;
}

/** Ctrl-C, a supervisor's, and the end of the terminal or of the connection to it. */
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const satisfies readonly NodeJS.Signals[];

/**
 * Calls `stop` on the first signal to stop, so that what is known can be shown; on a second one, or when nothing came to its end
 * after that time, `end`. Answers what takes it back.
 */
export function onSignals({ stop, end, patienceMs = PATIENCE_MS }: OnSignals): () => void {
  let patience: NodeJS.Timeout | undefined;
  const heard = (): void => {
    if (patience !== undefined) return end();
    patience = setTimeout(end, patienceMs);
    stop();
  };
  for (const signal of STOPPING) process.on(signal, heard);
  return () => {
    clearTimeout(patience);
    for (const signal of STOPPING) process.off(signal, heard);
  };
}
