/** Whether it is to be awaited: a promise of ours, or of any library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** More turns than a function takes that only awaits what is there already. */
const TURNS = 16;

/**
 * Lets a promise that needs nothing from outside settle, and waits for no other. Before the next function is called: what an `async`
 * function returned is only seen a turn later, and by then the next call may have changed the object that both of them return.
 * Whether it has settled.
 */
export async function settledSoon(work: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = (): void => void (isSettled = true);
  void work.then(settle, settle);
  for (let turn = 0; turn < TURNS && !isSettled; turn += 1) await Promise.resolve();
  return isSettled;
}
