/** An entry of a heap: what, and when. */
export interface Timed<T> {
  readonly at: number;
  readonly item: T;
}

/** Things in the order of their time; equal times come out first in, first out. */
export interface TimeHeap<T> {
  push(at: number, item: T): void;
  peek(): Timed<T> | undefined;
  /** Takes the earliest entry if its time is not after `now`. */
  popUntil(now: number): Timed<T> | undefined;
  /** One entry of this moment is outdated; when all of them are, they go. Each may be given up once. */
  giveUp(at: number): void;
  readonly size: number;
}

/** Buckets per moment under a binary heap of moments: in batches many entries share one moment, and then cost no sifting. */
export function timeHeap<T>(): TimeHeap<T> {
  const buckets = new Map<number, Bucket<T>>();
  const moments: number[] = [];
  let size = 0;
  /** What lies before it may be taken already, and cannot be given up any more. */
  let takenUntil = -Infinity;

  function first(): Bucket<T> | undefined {
    for (;;) {
      const moment = moments[0];
      if (moment === undefined) return undefined;
      const bucket = buckets.get(moment);
      if (bucket !== undefined && bucket.from < bucket.items.length) return bucket;
      buckets.delete(moment);
      removeFirst(moments);
    }
  }

  return {
    get size() {
      return size;
    },
    push(at, item) {
      size += 1;
      const bucket = buckets.get(at);
      if (bucket === undefined) {
        buckets.set(at, { at, from: 0, outdated: 0, items: [item] });
        insert(moments, at);
      } else bucket.items.push(item);
    },
    peek() {
      const bucket = first();
      return bucket && { at: bucket.at, item: bucket.items[bucket.from] as T };
    },
    popUntil(now) {
      const bucket = first();
      takenUntil = Math.max(takenUntil, now);
      if (bucket === undefined || bucket.at > now) return undefined;
      size -= 1;
      const item = bucket.items[bucket.from] as T;
      bucket.from += 1;
      if (bucket.from >= 4_096 && bucket.from * 2 >= bucket.items.length) {
        bucket.items.splice(0, bucket.from);
        bucket.from = 0;
      }
      return { at: bucket.at, item };
    },
    giveUp(at) {
      const bucket = at > takenUntil ? buckets.get(at) : undefined;
      if (bucket === undefined) return;
      bucket.outdated += 1;
      if (bucket.outdated < bucket.items.length) return;
      size -= bucket.items.length;
      buckets.delete(at);
    },
  };
}

interface Bucket<T> {
  readonly at: number;
  readonly items: T[];
  /** Items before this index are taken. */
  from: number;
  outdated: number;
}

function insert(heap: number[], value: number): void {
  let i = heap.length;
  heap.push(value);
  while (i > 0) {
    const parent = (i - 1) >> 1;
    const above = heap[parent] as number;
    if (above <= value) break;
    heap[i] = above;
    i = parent;
  }
  heap[i] = value;
}

function removeFirst(heap: number[]): void {
  const value = heap.pop() as number;
  const length = heap.length;
  if (length === 0) return;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= length) break;
    if (child + 1 < length && (heap[child + 1] as number) < (heap[child] as number)) child += 1;
    if ((heap[child] as number) >= value) break;
    heap[i] = heap[child] as number;
    i = child;
  }
  heap[i] = value;
}
