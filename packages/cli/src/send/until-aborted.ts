/** What a source gives until somebody stops it, even if it never gives anything again. */
export async function* untilAborted<T>(source: AsyncGenerator<T>, signal: AbortSignal): AsyncGenerator<T> {
  while (!signal.aborted) {
    const next = await nextOf(source, signal);
    if (next.done === true) return;
    yield next.value;
  }
}

/** Not `Promise.race` with one promise for all turns: that would keep what every turn gave until the end. */
function nextOf<T>(source: AsyncGenerator<T>, signal: AbortSignal): Promise<IteratorResult<T, undefined>> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve({ done: true, value: undefined });
    const turn = source.next() as Promise<IteratorResult<T, undefined>>;
    signal.addEventListener('abort', stop, { once: true });
    turn.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
