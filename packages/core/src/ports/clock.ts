/** Time as core sees it. Only `system.ts` and the simulator make one. */
export interface Clock {
  /** Wall clock, epoch ms. May step. */
  now(): number;
  /** Milliseconds that never step back, from an arbitrary start. */
  monotonic(): number;
  /** Resolves after `ms`, or as soon as the signal aborts, whichever is first; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Randomness as core sees it: back-off jitter, owner and request ids. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A fresh id, unique across processes; at most 32 characters of [A-Za-z0-9_-]. */
  id(): string;
}
