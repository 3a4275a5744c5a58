import type { ServerStrike } from './server-faults.ts';

/** `settled`: nothing was left to do. `quiet`: something was, and nobody moved any more. `timeout`: it took too long. */
export type RealEnd = 'settled' | 'quiet' | 'timeout' | 'interrupted';

/** A SIGKILL of ours, and what it hit. Times are epoch ms of the run's clock. */
export interface Kill {
  readonly worker: string;
  readonly pid: number;
  readonly startedAt: number;
  /** When the process was gone. */
  readonly at: number;
}

/** What a kill left in the hands of a dead process, and how soon somebody took it up. Durations are ms of the run's clock. */
export interface Recovery {
  /** Deliveries that it had claimed or marked, and not settled. */
  readonly orphans: number;
  /** From the death to the first of them that moved again; null: there was none, or none moved. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/** A kill, with what it was for. */
export interface ExplainedKill extends Kill {
  readonly why: string;
}

/** A kill of a real process, what it was for, and what came of what it left. */
export interface RealKill extends ExplainedKill {
  /** Null: a known-bad sender writes nowhere what it holds. */
  readonly recovery: Recovery | null;
}

/** How a process ended, whoever ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** What it last wrote to standard error. */
  readonly tail: string;
}

/** A worker that ended without being asked to. */
export interface Crash extends Exit {
  readonly worker: string;
}

/** What only a real run knows. Durations are ms of the run's clock. */
export interface RealFacts {
  readonly end: RealEnd;
  readonly ledger: string;
  /** The queue's address; null: the run's own, or none. */
  readonly queue: string | null;
  /** The folder of ledger and mailbox; null: it is removed. */
  readonly folder: string | null;
  /** How many times as fast as the host's the clock of the run was. */
  readonly speed: number;
  readonly leaseMs: number;
  readonly dispatchMs: number;
  readonly kills: readonly RealKill[];
  readonly servers: readonly ServerStrike[];
  /** Within this what a dead process left has to move again. */
  readonly recoverWithinMs: number;
  readonly crashes: readonly Crash[];
  /** Lines in the mailbox. */
  readonly messages: number;
}
