import type { Knobs } from '../world/knobs.ts';
import { quarantineMs } from './terms.ts';

/** What runs on servers of its own. */
export const SERVERS = ['ledger', 'queue'] as const;
export type ServerName = (typeof SERVERS)[number];

/** A server that breaks once so many messages were accepted. `restart`: it crashes and comes back; `wipe`: it forgets what it held. */
export interface ServerFault {
  readonly do: 'restart' | 'wipe';
  readonly server: ServerName;
  readonly acceptance: number;
}

/** What came of it. Times are epoch ms of the run's clock. */
export interface ServerStrike extends ServerFault {
  readonly startedAt: number;
  /** When it was back; of a ledger that forgot, when its producer had published again. */
  readonly at: number;
}

/** As reports name its kind. */
export function serverFaultKind({ do: what, server }: ServerFault): string {
  return `${server}-${what === 'wipe' ? 'wiped' : 'restarted'}`;
}

export function isSame(one: ServerFault, other: ServerFault): boolean {
  return one.do === other.do && one.server === other.server && one.acceptance === other.acceptance;
}

/** The longest that a worker waits between two tries while its ledger is out of reach, ms: see `Health` in core. */
const BETWEEN_TRIES_MS = 5_000;

export interface Standstill {
  readonly knobs: Knobs;
  /** Whether the ledger takes a restart for a loss of memory. */
  readonly isForgetful: boolean;
}

/** How much longer orphans may have to wait: until the ledger was back, was tried again, and moves again, ms. */
export function longerBy(strikes: readonly ServerStrike[], { knobs, isForgetful }: Standstill): number {
  const downMs = strikes.filter(({ server }) => server === 'ledger').map(({ startedAt, at }) => at - startedAt);
  if (downMs.length === 0) return 0;
  return Math.max(...downMs) + BETWEEN_TRIES_MS + (isForgetful ? quarantineMs(knobs) : 0);
}

/** Until then messages may arrive whose marks the ledger has forgotten; null: it forgot nothing. */
export function unprovenUntil(strikes: readonly ServerStrike[], { dispatchMs }: Knobs): number | null {
  const wipes = strikes.filter(({ do: what, server }) => what === 'wipe' && server === 'ledger');
  return wipes.length === 0 ? null : Math.max(...wipes.map(({ at }) => at)) + dispatchMs;
}
