/** How long a schedule that is under way may take to end, once somebody pressed Ctrl-C. */
const PATIENCE_MS = 1_000;

/**
 * A signal that the first Ctrl-C (or SIGTERM) aborts, so that what is known can be shown. A second one, or a schedule that does
 * not come to its end, ends the process at once; `last` may tidy up before that.
 */
export function interruptSignal(last: () => void): { readonly signal: AbortSignal; readonly dispose: () => void } {
  const controller = new AbortController();
  const end = (): void => {
    last();
    process.exit(130);
  };
  let patience: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (controller.signal.aborted) end();
    controller.abort();
    patience = setTimeout(end, PATIENCE_MS);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    dispose: () => {
      clearTimeout(patience);
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
