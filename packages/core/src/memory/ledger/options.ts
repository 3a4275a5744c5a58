import type { DeliveryRecord } from '../../model/delivery.ts';
import type { Clock } from '../../ports/clock.ts';

export interface MemoryLedgerOptions {
  /** The store's clock: the only one that decides. */
  readonly clock: Pick<Clock, 'now'>;
  /** How long after it settled a delivery keeps its content and is quick to find; 0: not at all, ms. @defaultValue 60_000 */
  readonly compactAfterMs?: number;
  /** Whether each delivery's moves are kept for `history`. @defaultValue true */
  readonly journal?: boolean;
  /** How much the ledger can be made to forget by `control.loseMemory`, ms; costs memory. @defaultValue 0 */
  readonly undoMs?: number;
  /** How many deliveries are kept as objects before new ones are stored as rows. @defaultValue 2_000 */
  readonly liveLimit?: number;
}

export interface AmnesiaRequest {
  /** The writes of the last this many ms are lost; at most `undoMs`. */
  readonly lastMs: number;
  /** Deliveries that are lost wholly, whatever their age; with `undoMs` above 0 they are made again from the frozen pages. @defaultValue none */
  readonly evict?: readonly string[];
  /** For how long nothing moves: one dispatch window plus the longest visibility, ms. */
  readonly quarantineMs: number;
}

export interface AmnesiaReport {
  /** Writes taken back. */
  readonly lost: number;
  /** Deliveries that were there and are not any more. */
  readonly evicted: readonly string[];
}

export interface MemoryLedgerControl {
  /** Makes the store lose its memory as a failover to a stale replica or an eviction would (PROTOCOL rule 12). */
  loseMemory(request: AmnesiaRequest): AmnesiaReport;
  /** Every delivery, one after the other: a million need not be there at once as they would be on pages of `list`. Write nothing meanwhile. */
  deliveries(): Iterable<DeliveryRecord>;
}
