import type { SendonceError } from '@sendonce/core';

/*
 * Who is running: the simulated world or the harness. The kernel brackets each instant together with the microtasks that it
 * leaves, so one variable answers exactly; an AsyncLocalStorage would say the same and make every promise three times as slow
 * (measured on Node 20: 0.03 to 0.1 microseconds each). What awaits something real resumes outside the bracket, and is caught at
 * its next port call.
 */

/** Keeps the first thing that a world did which its seed does not decide. */
export interface Guard {
  violation: SendonceError | null;
}

let current: Guard | null = null;

/** The world that is running now; null in the harness. */
export function worldInside(): Guard | null {
  return current;
}

export function enterWorld(guard: Guard): void {
  current = guard;
}

export function leaveWorld(): void {
  current = null;
}

/** Runs harness code that was called from inside a world: it may use the real clock. */
export function outsideWorld<T>(action: () => T): T {
  const guard = current;
  current = null;
  try {
    return action();
  } finally {
    current = guard;
  }
}

let userCode: string | null = null;

/** Runs a function that the user wrote; `what` is how messages name it (`content of 'hello'`). What it goes on with after an `await` has no name. */
export function asUserCode<T>(what: string, action: () => T): T {
  const outer = userCode;
  userCode = what;
  try {
    return action();
  } finally {
    userCode = outer;
  }
}

/** The user's function that is running now, by its name; null: none, or nobody named it. */
export function userCodeInside(): string | null {
  return userCode;
}
