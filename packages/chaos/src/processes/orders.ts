import type { Channel } from '@sendonce/core';
import type { SimulationSetup } from '../plan.ts';
import type { ClockOrders } from './clock.ts';
import type { GateOrders } from './gate.ts';
import type { Script } from './scripts.ts';

/** What a worker process is told when it starts, by the only message that it gets. */
export interface WorkOrders {
  readonly kind: 'work';
  /** `w2` */
  readonly name: string;
  readonly setup: SimulationSetup;
  readonly seed: string;
  readonly channels: readonly Channel[];
  /** The recipients come from a list, so that their names are not the seed's. */
  readonly isListed: boolean;
  readonly clock: ClockOrders;
  /** As `--ledger` writes it: `sqlite:/tmp/x.db`. */
  readonly ledger: string;
  /** As `--queue` writes it; null: the run's own, or none. */
  readonly queue: string | null;
  /** Where the fake provider and its queue listen. */
  readonly port: number;
  /** Null: no fault strikes at a point of a worker. */
  readonly gate: GateOrders | null;
}

/** What the provider process is told when it starts. */
export interface ProviderOrders {
  readonly kind: 'provide';
  readonly setup: SimulationSetup;
  readonly seed: string;
  readonly clock: ClockOrders;
  /** The mailbox: made when it is missing, only ever appended to. */
  readonly mailbox: string;
  /** Acceptances, counted from 1, whose answer is held back until the supervisor says what becomes of it. */
  readonly hold: readonly number[];
  readonly scripts: readonly Script[];
  /** Removed when the supervisor is gone without having done it; null: it stays. */
  readonly folder: string | null;
}

/** From the provider to the supervisor. */
export type ProviderNews =
  | { readonly kind: 'listening'; readonly port: number }
  | ({ readonly kind: 'held' } & Held)
  /** The script of the fault at this index of the plan has struck. */
  | { readonly kind: 'fired'; readonly index: number };

/** A message that was taken and not answered yet. */
export interface Held {
  readonly acceptance: number;
  readonly worker: string;
  readonly pid: number;
  readonly deliveryId: string;
}

/** From the supervisor to the provider: whether a held answer goes out, or its connection is cut. */
export interface Release {
  readonly kind: 'release';
  readonly acceptance: number;
  readonly answer: boolean;
  /** Whoever waited for it was dead already: hold the next one instead. */
  readonly another: boolean;
}
