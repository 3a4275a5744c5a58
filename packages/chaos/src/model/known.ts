import type { Ledger, MarkVerdict, Target } from '@sendonce/core';
import type { LedgerSubject } from '@sendonce/core/conformance';

/** What the clients of a ledger know, as it told them: some of it long outdated, as in life. */
export interface Known {
  readonly notifications: string[];
  readonly deliveries: string[];
  readonly routings: {
    readonly id: string;
    readonly fence: number;
    readonly page: number;
    readonly targets: readonly Target[] | null;
  }[];
  readonly grants: { readonly id: string; readonly fence: number; readonly provider: string }[];
  readonly marks: {
    readonly id: string;
    readonly fence: number;
    readonly provider: string;
    readonly attempt: Extract<MarkVerdict, { kind: 'go' }>['attempt'];
  }[];
  readonly unknown: { readonly id: string; readonly fence: number; readonly provider: string }[];
  /** Calls that a client may send again, however late. */
  readonly calls: Call[];
  /** Claims made so far: each has a request id of its own. */
  claims: number;
}

/** One call of the port, to be made on any ledger. */
export type Call = (ledger: Ledger) => Promise<unknown>;

/** A ledger, what is known of it, and when it began by its own clock. */
export interface Side {
  readonly subject: LedgerSubject;
  readonly known: Known;
  readonly startMs: number;
}

export function nothingKnown(): Known {
  return {
    notifications: [],
    deliveries: [],
    routings: [],
    grants: [],
    marks: [],
    unknown: [],
    calls: [],
    claims: 0,
  };
}

/** The newest for 0, the one before it for 1, and so on, round and round. */
export function nthLast<T>(items: readonly T[], n: number): T | undefined {
  return items[items.length - 1 - (n % Math.max(1, items.length))];
}
