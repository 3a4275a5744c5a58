import type { Clock } from '../ports/clock.ts';

export interface ManualClockOptions {
  /** Lets woken code run on before the next sleeper wakes. @defaultValue 64 microtask turns */
  readonly drain?: () => Promise<void>;
}

/** A clock that stands still until it is told to move. */
export interface ManualClock extends Clock {
  /** Moves both clocks on by `ms`, waking every sleeper that falls due at its own moment, in order; equal moments in the order of the calls. */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock alone, forwards or backwards, as an operator or a time service would. Wakes nobody. */
  step(ms: number): void;
  /** How many sleepers wait. */
  sleepers(): number;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

const DRAIN_TURNS = 64;

/** A manual clock whose wall clock starts at `startMs` (epoch ms) and whose monotonic clock starts at 0. */
export function manualClock(startMs = 0, options: ManualClockOptions = {}): ManualClock {
  const { drain = microtasks } = options;
  let wallOffset = startMs;
  let elapsed = 0;
  let waiting: readonly Sleeper[] = [];

  function nextUntil(end: number): Sleeper | undefined {
    return waiting[0] !== undefined && waiting[0].at <= end ? waiting[0] : undefined;
  }

  return {
    now: () => wallOffset + elapsed,
    monotonic: () => elapsed,
    sleepers: () => waiting.length,
    sleep(ms, signal) {
      if (ms <= 0 || signal?.aborted === true) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          signal?.removeEventListener('abort', wake);
          waiting = waiting.filter((other) => other !== sleeper);
          resolve();
        };
        const sleeper: Sleeper = { at: elapsed + ms, wake };
        const later = waiting.findIndex((other) => other.at > sleeper.at);
        waiting = later < 0 ? [...waiting, sleeper] : waiting.toSpliced(later, 0, sleeper);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    async advance(ms) {
      const end = elapsed + ms;
      await drain();
      for (let sleeper = nextUntil(end); sleeper !== undefined; sleeper = nextUntil(end)) {
        elapsed = Math.max(elapsed, sleeper.at);
        sleeper.wake();
        await drain();
      }
      elapsed = Math.max(elapsed, end);
    },
    step(ms) {
      wallOffset += ms;
    },
  };
}

async function microtasks(): Promise<void> {
  for (let turn = 0; turn < DRAIN_TURNS; turn += 1) await Promise.resolve();
}
