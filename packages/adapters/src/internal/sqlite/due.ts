const CHUNK = 500;

/** Numbers in rising order, read chunk by chunk, each chunk after the last number of the one before. */
export function* chunked<N extends number>(read: (after: number, limit: number) => readonly N[]): Generator<N> {
  for (let after = -1; ;) {
    const numbers = read(after, CHUNK);
    yield* numbers;
    const last = numbers.at(-1);
    if (last === undefined || numbers.length < CHUNK) return;
    after = last;
  }
}
