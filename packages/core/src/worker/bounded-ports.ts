import { SendonceError } from '../model/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Queue } from '../ports/queue.ts';

interface Pending {
  readonly dueAt: number;
  /** Makes its caller hear that no answer came. */
  readonly giveUp: () => void;
}

export interface BoundedPortsOptions {
  readonly clock: Clock;
  /** How long a call may take, ms: what a claim answers after its lease, or a mark after its dispatch window, is of no use to anybody. */
  readonly limitMs: number;
  /** How long a receive may wait for wakes before that, ms. */
  readonly waitMs: number;
  /** Ends the watch; calls that are made afterwards are not bounded any more. */
  readonly signal: AbortSignal;
}

/**
 * Ports whose calls end: a connection that is half open never answers, and a worker that waits for it does nothing more for good, while
 * it looks well. A call that is given up may have taken effect, like one whose reply was lost. One watch for all calls, since every
 * batch makes several, and hardly any is ever late.
 */
export class BoundedPorts {
  readonly #options: BoundedPortsOptions;
  readonly #pending = new Set<Pending>();
  #isWatching = false;

  constructor(options: BoundedPortsOptions) {
    this.#options = options;
  }

  ledger(ledger: Ledger): Ledger {
    return this.#bounded(ledger, 'ledger', () => 0);
  }

  queue(queue: Queue): Queue {
    return this.#bounded(queue, 'queue', (method) => (method === 'receive' ? this.#options.waitMs : 0));
  }

  #bounded<Port extends object>(port: Port, name: 'ledger' | 'queue', moreMs: (method: string) => number): Port {
    // Not around the port itself: of a frozen one a proxy may answer nothing but what is there.
    return new Proxy({} as Port, {
      get: (_, method: string) => {
        const value: unknown = Reflect.get(port, method);
        if (typeof value !== 'function') return value;
        const withinMs = this.#options.limitMs + moreMs(method);
        return async (...args: readonly unknown[]): Promise<unknown> => {
          const answer: unknown = Reflect.apply(value, port, args);
          return this.#inTime(Promise.resolve(answer), withinMs, `${name}.${method}`);
        };
      },
    });
  }

  #inTime(work: Promise<unknown>, withinMs: number, call: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        dueAt: this.#options.clock.monotonic() + withinMs,
        giveUp: () => reject(noAnswer(call, withinMs)),
      };
      this.#pending.add(pending);
      void work.then(resolve, reject).finally(() => this.#pending.delete(pending));
      if (!this.#isWatching) void this.#watch();
    });
  }

  async #watch(): Promise<void> {
    const { clock, limitMs, signal } = this.#options;
    this.#isWatching = true;
    while (this.#pending.size > 0 && !signal.aborted) {
      const now = clock.monotonic();
      // A call that is made while the watch sleeps is due later than this.
      let sleepMs = limitMs;
      for (const each of this.#pending) {
        if (each.dueAt > now) sleepMs = Math.min(sleepMs, each.dueAt - now);
        else if (this.#pending.delete(each)) each.giveUp();
      }
      if (this.#pending.size > 0) await clock.sleep(sleepMs, signal);
    }
    this.#isWatching = false;
  }
}

function noAnswer(call: string, withinMs: number): SendonceError {
  return new SendonceError(
    call.startsWith('ledger') ? 'LEDGER_UNAVAILABLE' : 'QUEUE_UNAVAILABLE',
    `${call} gave no answer within ${withinMs} ms; it may have taken effect, and is asked again`,
  );
}
