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

/** How many rows a scan reads at once beyond what it expects to need. */
const MOST_AT_ONCE = 500;

/** Rows by their time, read about as many at once as will be needed, each time after the last row of the time before. */
export function* dueRows<Row extends { readonly seq: number }>(
  expected: number,
  timeOf: (row: Row) => number,
  read: (afterAt: number, afterSeq: number, limit: number) => readonly Row[],
): Generator<Row> {
  const limit = Math.min(expected, MOST_AT_ONCE);
  for (let after = { at: Number.MIN_SAFE_INTEGER, seq: -1 }; ;) {
    const rows = read(after.at, after.seq, limit);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = { at: timeOf(last), seq: last.seq };
  }
}
