import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// A young heap grows to several times of what lives before it is swept; nobody wants to see that in a run of a million recipients.
const LOOK_EVERY = 64;
const TOLERATED_BYTES = 300_000_000;
const SLACK_BYTES = 24_000_000;

/** Keeps the resident memory of a large run near what lives: collects garbage when there is much. Call the result often. */
export function leanMemory(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let calls = 0;
  let tolerated = TOLERATED_BYTES;
  return () => {
    if (++calls % LOOK_EVERY !== 0 || process.memoryUsage.rss() < tolerated) return;
    collect();
    tolerated = Math.max(TOLERATED_BYTES, process.memoryUsage.rss() + SLACK_BYTES);
  };
}
