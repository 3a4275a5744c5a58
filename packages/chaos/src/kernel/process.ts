import { hashText } from './draw.ts';

/** What a process may be cut off from. */
export const PEERS = ['ledger', 'queue', 'provider'] as const;
export type Peer = (typeof PEERS)[number];

/** A partition: `both` loses requests, `replies` loses only what comes back. */
export interface Partition {
  readonly ways: 'both' | 'replies';
  /** Virtual ms. */
  readonly until: number;
}

/** A virtual operating-system process: it may die and come back under the same name. */
export interface Process {
  readonly name: string;
  readonly hash: number;
  /** Counts its starts; 0 before the first. */
  epoch: number;
  /** The running start of it; null while it is down. */
  life: Life | null;
  /** Its wall clock minus the true one, ms. */
  skewMs: number;
  /** It runs nothing before this virtual time. */
  pausedUntil: number;
  readonly partitionedFrom: Map<Peer, Partition>;
  /** How often it has made each kind of call, by the site's index; goes on over restarts. */
  readonly calls: number[];
}

/** One start of a process. Whatever was begun in it stops mattering when it ends, as under SIGKILL: no `finally` runs. */
export interface Life {
  readonly process: Process;
  readonly epoch: number;
  alive: boolean;
  timers: number;
  draws: number;
  ids: number;
}

export function newProcess(name: string): Process {
  return {
    name,
    hash: hashText(name),
    epoch: 0,
    life: null,
    skewMs: 0,
    pausedUntil: 0,
    partitionedFrom: new Map(),
    calls: [],
  };
}

/** Starts the process, ending an earlier start of it. */
export function begin(process: Process): Life {
  end(process);
  process.epoch++;
  process.life = { process, epoch: process.epoch, alive: true, timers: 0, draws: 0, ids: 0 };
  return process.life;
}

/** From now on nothing that this start awaits will settle, and nothing that it asks for leaves. A second call does nothing. */
export function end(process: Process): void {
  if (process.life !== null) process.life.alive = false;
  process.life = null;
  process.pausedUntil = 0;
}

/** The partition that stands between the process and a peer now, or null. */
export function partitionOf(process: Process, peer: Peer, now: number): Partition | null {
  if (process.partitionedFrom.size === 0) return null;
  const partition = process.partitionedFrom.get(peer);
  return partition === undefined || partition.until <= now ? null : partition;
}
