import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// A young heap grows to several times of what lives before it is swept; nobody wants to see that in a run of a million recipients.
const LOOK_EVERY = 32;
const SLACK_BYTES = 32_000_000;

/** Keeps the memory of a large run near what lives: collects garbage when there is much. Call the result often. */
export function leanMemory(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let calls = 0;
  let tolerated = 2 * SLACK_BYTES;
  return () => {
    if (++calls % LOOK_EVERY !== 0 || getHeapStatistics().used_heap_size < tolerated) return;
    collect();
    tolerated = getHeapStatistics().used_heap_size + SLACK_BYTES;
  };
}
