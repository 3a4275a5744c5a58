import type { Clock } from '@sendonce/core';
import type { Entry, Instant } from './agenda.ts';
import { draw, hashText } from './draw.ts';
import type { Kernel } from './kernel.ts';
import type { Life } from './process.ts';

const TIMER = hashText('timer');

/** The true time of a run, which its store keeps. The virtual wall clock starts at 0, so that it is the history's `at`. */
export function storeClock(kernel: Kernel): Clock {
  return {
    now: () => kernel.now,
    monotonic: () => kernel.now,
    sleep: () => Promise.reject(new Error('the store does not sleep')),
  };
}

/** The Clock port of one start of a process: its wall clock is skewed, its monotonic one is not. */
export function processClock(kernel: Kernel, life: Life): Clock {
  const { process } = life;
  // What still runs in the instant in which a pause began runs after the pause: it must not see the time before.
  const now = (): number => Math.max(kernel.now, process.pausedUntil);
  return {
    now: () => now() + process.skewMs,
    monotonic: now,
    sleep(ms, signal) {
      if (signal?.aborted === true) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = new Timer(kernel, life, resolve, signal);
        // A real timer takes a millisecond at least; an endless one waits for its signal alone.
        if (ms < Infinity) kernel.schedule(now() - kernel.now + Math.max(1, Math.ceil(ms)), timer);
        signal?.addEventListener('abort', timer);
      });
    },
  };
}

class Timer implements Entry {
  readonly rank: number;
  cancelled = false;
  instant: Instant | null = null;
  readonly #kernel: Kernel;
  readonly #life: Life;
  readonly #wake: () => void;
  readonly #signal: AbortSignal | undefined;

  constructor(kernel: Kernel, life: Life, wake: () => void, signal: AbortSignal | undefined) {
    this.rank = draw(kernel.seed, TIMER, life.process.hash + life.epoch, life.timers++);
    this.#kernel = kernel;
    this.#life = life;
    this.#wake = wake;
    this.#signal = signal;
  }

  fire(): void {
    if (!this.#life.alive) return;
    const pausedMs = this.#life.process.pausedUntil - this.#kernel.now;
    if (pausedMs > 0) return this.#kernel.schedule(pausedMs, this);
    this.#signal?.removeEventListener('abort', this);
    this.#wake();
  }

  /** The signal has aborted, which it does once. */
  handleEvent(): void {
    this.#kernel.cancel(this);
    this.#wake();
  }
}
