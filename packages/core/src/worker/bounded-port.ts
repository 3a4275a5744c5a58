import { SendonceError } from '../model/errors.ts';
import type { Clock } from '../ports/clock.ts';
import { inTime } from '../stages/in-time.ts';

export interface BoundedPort<Port> {
  readonly name: 'ledger' | 'queue';
  readonly clock: Clock;
  /** How long a call may take, ms. */
  readonly limitMs: (method: keyof Port, args: readonly unknown[]) => number;
}

/**
 * A port whose calls end: a connection that is half open never answers, and a worker that waits for it does nothing more for good, while
 * it looks well. A call that is given up may have taken effect, like one whose reply was lost.
 */
export function boundedPort<Port extends object>(port: Port, { name, clock, limitMs }: BoundedPort<Port>): Port {
  return new Proxy(port, {
    get(target, method) {
      const value: unknown = Reflect.get(target, method);
      if (typeof value !== 'function') return value;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        const withinMs = limitMs(method as keyof Port, args);
        const answer: unknown = Reflect.apply(value, target, args);
        return inTime(clock, Promise.resolve(answer), withinMs, () => {
          throw new SendonceError(
            name === 'ledger' ? 'LEDGER_UNAVAILABLE' : 'QUEUE_UNAVAILABLE',
            `${name}.${String(method)} gave no answer within ${withinMs} ms; it may have taken effect, and is asked again`,
          );
        });
      };
    },
  });
}
