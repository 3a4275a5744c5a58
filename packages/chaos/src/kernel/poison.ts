import { syncBuiltinESMExports } from 'node:module';
import { SendonceError } from '@sendonce/core';
import { userCodeInside, worldInside } from './guard.ts';
import { loadedModules, poisonedCalls, type PoisonedCall } from './poisoned-calls.ts';

interface Swap {
  readonly on: object;
  readonly name: string;
  readonly poisoned: PropertyDescriptor;
  /** Undefined where the function was inherited: restoring deletes ours. */
  readonly original: PropertyDescriptor | undefined;
}

const realDate = Date;

let swaps: readonly Swap[] = [];
/** How many modules were loaded when `swaps` was made. */
let modulesThen = -1;
let holders = 0;

/**
 * From now on the real clock, chance and the outside world throw when they are called inside a simulated world; the harness may go
 * on using them. Answers the function that restores them, once the last holder has called its own.
 */
export function poison(): () => void {
  if (holders++ === 0) install();
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    if (--holders === 0) restore();
  };
}

/** The error for a call that no seed decides. The user's own functions have no ports: they are told where else to take it from. */
export function determinismViolation(call: string, instead: string): SendonceError {
  const who = userCodeInside();
  const [by, use] = who === null ? ['', instead] : [` by ${who}`, 'what is published (in `sample`, its `random`)'];
  return new SendonceError(
    'DETERMINISM_VIOLATION',
    `${call} was called${by} inside a simulated run, where a seed must decide everything. Use ${use}.`,
  );
}

/** Records the violation before it throws it: core may well catch it, the run ends all the same. */
function violate(call: string, instead: string): never {
  const error = determinismViolation(call, instead);
  const world = worldInside();
  if (world !== null) world.violation ??= error;
  throw error;
}

function install(): void {
  const modules = loadedModules()?.length ?? 0;
  if (modules !== modulesThen) swaps = poisonedCalls().flatMap(swap);
  modulesThen = modules;
  for (const { on, name, poisoned } of swaps) Object.defineProperty(on, name, poisoned);
  // `import { readFileSync } from 'node:fs'` sees the change only after this.
  syncBuiltinESMExports();
}

function restore(): void {
  for (const { on, name, original } of swaps) {
    if (original === undefined) Reflect.deleteProperty(on, name);
    else Object.defineProperty(on, name, original);
  }
  syncBuiltinESMExports();
}

function swap(call: PoisonedCall): Swap[] {
  const { on, name } = call;
  const original = Object.getOwnPropertyDescriptor(on, name);
  if (original !== undefined && !original.configurable) return [];
  if (call.isGlobal)
    return original === undefined ? [] : [{ on, name, original, poisoned: guardedGetter(original, call) }];
  if (call.isBoundGetter)
    return original === undefined ? [] : [{ on, name, original, poisoned: boundGetter(original, call) }];
  const real: unknown = Reflect.get(on, name);
  if (typeof real !== 'function') return [];
  // Lazy globals (fetch, crypto) are accessors; what is put back is the accessor.
  const poisoned = {
    value: guarded(real, call),
    writable: true,
    configurable: true,
    enumerable: original?.enumerable ?? false,
  };
  return [{ on, name, poisoned, original }];
}

function guardedGetter(original: PropertyDescriptor, { call, instead }: PoisonedCall): PropertyDescriptor {
  return {
    ...original,
    get(this: unknown) {
      if (worldInside() !== null) violate(call, instead);
      return original.get?.call(this) as unknown;
    },
  };
}

/** `Intl.DateTimeFormat.prototype.format` gives each formatter a function of its own, and always the same one. */
function boundGetter(original: PropertyDescriptor, call: PoisonedCall): PropertyDescriptor {
  const known = new WeakMap<object, unknown>();
  return {
    ...original,
    get(this: unknown) {
      const real: unknown = original.get?.call(this);
      if (typeof real !== 'function') return real;
      if (!known.has(real)) known.set(real, guarded(real, call));
      return known.get(real);
    },
  };
}

/** A proxy keeps what hangs on the function: its prototype, `Date.parse`, `util.promisify.custom`. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- any function, called as it came
function guarded(real: Function, { call, instead, onlyArgless }: PoisonedCall): unknown {
  const isForbidden = (args: readonly unknown[]): boolean => {
    if (worldInside() === null) return false;
    return onlyArgless === 'no' || (onlyArgless === 'undefined-too' ? args[0] === undefined : args.length === 0);
  };
  return new Proxy(real, {
    apply(target, receiver, args) {
      // `Date(x)` ignores its arguments and reads the clock.
      const ignoresArguments = target === realDate && worldInside() !== null;
      if (ignoresArguments || isForbidden(args)) violate(ignoresArguments ? 'Date()' : call, instead);
      return Reflect.apply(target, receiver, args) as unknown;
    },
    construct(target, args, newTarget) {
      if (isForbidden(args)) violate(call, instead);
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
}
