import type { SendonceError } from '@sendonce/core';
import type { Found } from './facts.ts';
import type { Known } from './known.ts';
import type { Wanted } from './questions.ts';
import type { Run } from './run.ts';

/** What a call writes beside what its run changed. */
export interface WriteOptions {
  /** Ids that the call is about, each for itself: what was read of one and left alone may change meanwhile. */
  readonly speaking: readonly string[];
  /** The name under which this call has reserved the store; null: it has not. */
  readonly reservedBy: string | null;
  /** The notifications that the run makes were not looked for: none of them may be there. */
  readonly presumesNew?: boolean;
}

/** A store on a server, out of which calls are read ahead of the steps, and into which they are written on condition. */
export interface AheadStore {
  /** As messages name it. */
  readonly who: string;
  read(wanted: Wanted, options: { readonly withoutMessages: boolean }): Promise<Found>;
  /** Writes all that the run changed, or nothing when somebody changed what it rests on: false. */
  write(run: Run, known: Known, options: WriteOptions): Promise<boolean>;
  /** Asks others to stand back for a while, unless another call has; again, to keep it. */
  reserve(name: string, forMs: number): Promise<void>;
  giveBack(name: string): Promise<void>;
  /** Another write was in the way: nothing was written, and the same again may well succeed. */
  isConflict(error: unknown): boolean;
  /** The error that a user sees for a client's. */
  unavailable(error: unknown): SendonceError;
  /** The version of a row after a write of it; null: it is made. Needed where there is a memory. */
  versionAfter?(version: string | null): string;
}
