/** One call of a port by one process: `ledger.mark`, `queue.ack`, `p0.send`, `clock.sleep`. */
export interface PortCall {
  readonly on: string;
  readonly args: readonly unknown[];
  /** 1 for the process's first call of this name. */
  readonly nth: number;
}

/** Stands between a process and its ports: call `go` to let the request through, before, after or never. */
export type Hook = (call: PortCall, go: () => Promise<unknown>) => Promise<unknown>;

/** A promise that nobody keeps: what a dead process hears. */
export const never: Promise<never> = new Promise(() => undefined);

/** The port with every method that waits handed to the hook; everything else is the port's own. */
export function tap<Port extends object>(name: string, port: Port, hook: Hook): Port {
  const calls = new Map<string, number>();
  return new Proxy(port, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function' || !WAITS.has(property as string)) return value;
      return (...args: unknown[]) => {
        const on = `${name}.${String(property)}`;
        const nth = (calls.get(on) ?? 0) + 1;
        calls.set(on, nth);
        const go = async (): Promise<unknown> => (value as (...args: unknown[]) => unknown).apply(target, args);
        return hook({ on, args, nth }, go);
      };
    },
  });
}

const WAITS: ReadonlySet<string> = new Set(
  `accept seal claimNotifications add claim renew release mark settle sweep reconcile record cancel suppress block replay
   find findNotifications list listNotifications count history enqueue receive ack extend depth send sleep`.split(
    /\s+/,
  ),
);

/** Several hooks as one: the first one is outermost. */
export function inTurn(...hooks: readonly Hook[]): Hook {
  return (call, go) => hooks.reduceRight<() => Promise<unknown>>((next, hook) => () => hook(call, next), go)();
}

/** Throws in place of these calls for as long as the condition holds. */
export function failing(on: RegExp, while_: () => boolean, message = 'connection refused'): Hook {
  return async (call, go) => {
    if (on.test(call.on) && while_()) throw new Error(message);
    return go();
  };
}

/** The nth call is carried out, and its answer lost. */
export function losingReply(on: string, nth = 1): Hook {
  return async (call, go) => {
    const answer = await go();
    if (call.on === on && call.nth === nth) throw new Error('the reply was lost');
    return answer;
  };
}
