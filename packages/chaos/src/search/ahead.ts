import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { CasesSource } from './cases.ts';
import type { Seen } from './seen.ts';
import type { FromThread } from './thread.ts';

/** More than these gain little, and each holds a world of its own. */
const MOST_THREADS = 8;
/** Recipients in all their worlds at once, each of which takes some 450 bytes of memory: beyond it the worlds are run one by one. */
const MOST_RECIPIENTS = 250_000;
/** What a thread has been given at once, so that it never waits for the next number. */
const GIVEN = 2;
/** How many schedules for each thread may stand ready or be under way, beyond the one that is asked for. */
const AHEAD = 6;

export interface AheadOptions {
  /** What `search/thread` was built to. */
  readonly entry: URL;
  readonly threads: number;
  readonly source: CasesSource;
  /** How many schedules there are at most. */
  readonly cases: number;
  /** Those that the caller runs himself in any case. */
  readonly isOwn: (n: number) => boolean;
}

/** As many as the machine runs at once, 8 at most, and fewer for worlds that are large; 0: they gain nothing. */
export function threadsFor(recipients: number): number {
  const fitting = Math.floor(MOST_RECIPIENTS / Math.max(1, recipients));
  const threads = Math.min(availableParallelism(), MOST_THREADS, fitting);
  return threads < 2 ? 0 : threads;
}

interface Thread {
  readonly worker: Worker;
  readonly given: Set<number>;
}

interface Place {
  readonly seen: Promise<Seen | null>;
  readonly settle: (seen: Seen | null) => void;
}

/** Runs the next schedules of a search in threads, while the caller takes them in their order. */
export class Ahead {
  readonly #options: AheadOptions;
  readonly #threads: readonly Thread[];
  readonly #ready = new Set<Thread>();
  readonly #places = new Map<number, Place>();
  /** The schedule that is asked for, and the next one to give away. */
  #current = 0;
  #next = 0;

  constructor(options: AheadOptions) {
    this.#options = options;
    const { entry, source, threads } = options;
    this.#threads = Array.from({ length: threads }, () => this.#start(new Worker(entry, { workerData: source })));
  }

  /** The nth schedule: each is asked for once, in order. Null: no thread has it, or it failed there, so the caller runs it. */
  async take(n: number): Promise<Seen | null> {
    this.#current = n;
    this.#fill();
    const seen = (await this.#places.get(n)?.seen) ?? null;
    this.#places.delete(n);
    return seen;
  }

  /** Ends all threads; whatever is still asked for is null. */
  async close(): Promise<void> {
    this.#ready.clear();
    for (const { settle } of this.#places.values()) settle(null);
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(worker: Worker): Thread {
    const thread: Thread = { worker, given: new Set() };
    const lost = (): void => {
      this.#ready.delete(thread);
      for (const n of thread.given) this.#places.get(n)?.settle(null);
      thread.given.clear();
    };
    worker.on('message', (message: FromThread) => {
      if (message === 'ready') this.#ready.add(thread);
      else {
        thread.given.delete(message.n);
        this.#places.get(message.n)?.settle(message.seen);
      }
      this.#fill();
    });
    // The caller runs what it was given, and sees what is wrong with it.
    worker.on('error', lost);
    worker.on('exit', lost);
    return thread;
  }

  #fill(): void {
    const { cases, isOwn } = this.#options;
    const end = Math.min(cases, this.#current + 1 + AHEAD * this.#threads.length);
    this.#next = Math.max(this.#next, this.#current + 1);
    for (let given = 0; given < GIVEN; given += 1)
      for (const thread of this.#ready) {
        while (this.#next < end && isOwn(this.#next)) this.#next += 1;
        if (this.#next >= end) return;
        if (thread.given.size <= given) this.#give(thread, this.#next++);
      }
  }

  #give(thread: Thread, n: number): void {
    let settle: Place['settle'] = () => undefined;
    const seen = new Promise<Seen | null>((resolve) => (settle = resolve));
    this.#places.set(n, { seen, settle });
    thread.given.add(n);
    thread.worker.postMessage(n);
  }
}
