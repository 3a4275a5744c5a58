import type { DueRecords } from '../../records/store.ts';
import type { TimeHeap } from '../time-heap.ts';

/** A heap as the transactions see it. An entry is outdated, and dropped, unless `timeOf` still says the same. */
export function dueIn<Item>(heap: TimeHeap<Item>, timeOf: (item: Item) => number | null): DueRecords<Item> {
  return {
    *due(untilMs) {
      for (let next = heap.popUntil(untilMs); next !== undefined; next = heap.popUntil(untilMs))
        if (timeOf(next.item) === next.at) yield next;
    },
    leave(entries) {
      for (const { at, item } of entries) heap.push(at, item);
    },
  };
}
