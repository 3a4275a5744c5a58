/** One call's share after the other, in order: of each no more than `most` by `countOf`, or one item that has more by itself. */
export function* inShares<T>(items: readonly T[], most: number, countOf: (item: T) => number): Generator<readonly T[]> {
  let from = 0;
  let count = 0;
  for (const [at, item] of items.entries()) {
    const more = countOf(item);
    if (at > from && count + more > most) {
      yield items.slice(from, at);
      from = at;
      count = 0;
    }
    count += more;
  }
  if (from < items.length) yield items.slice(from);
}
