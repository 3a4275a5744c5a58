/**
 * A fault plan is data: a JSON array of faults. Each is addressed by what happens in a run (component.operation, entity, nth time,
 * phase), never by a global step or a time, so that removing one fault or one recipient moves no other.
 */

/** Where in a call a fault sits: before it applies (request lost), after (reply lost), delayed, twice, stale answer, explicit error. */
export const PHASES = ['B', 'A', 'D', '2', 'S', 'E'] as const;
export type Phase = (typeof PHASES)[number];

/** Named moments of an acceptance, for `--kill-at COUNT:MOMENT`. */
export const KILL_MOMENTS = ['after-accept', 'before-send', 'before-ack', 'mid-batch'] as const;
export type KillMoment = (typeof KILL_MOMENTS)[number];

/** A fault on one call, or one that strikes the process which makes that call. */
export interface CallFault {
  /** What is done; the list with its sites is `faults/index.ts`. */
  readonly do: string;
  /** `ledger.mark`, `queue.receive`, `provider.send`, ... */
  readonly op: string;
  /** `r17` (recipient 17, counted from 0), `w2` (worker), `p0` (provider), `producer`, or `*` for any. */
  readonly entity: string;
  /** The nth time (from 1) that `op` happens to `entity`. */
  readonly nth: number;
  readonly phase: Phase;
  /** How long, where the fault has a length (delay, pause, outage, partition, restart), virtual ms. */
  readonly ms?: number;
  /** A number that some faults take: percent of an amnesia, size of a clock step, copies of a message. */
  readonly amount?: number;
}

/** `--kill-at`: SIGKILL of the worker that holds the nth acceptance. The one fault addressed by a count; rewritten to its delivery before shrinking. */
export interface AcceptanceKill {
  readonly do: 'kill';
  readonly acceptance: number;
  readonly moment: KillMoment;
  /** When the process comes back, virtual ms after the kill. */
  readonly ms?: number;
}

export type Fault = CallFault | AcceptanceKill;

/** What a run needs beside the plan to be the same run again. */
export interface PlanFile {
  readonly schema: 'sendonce.plan/1';
  /** What the plan shows, in one sentence. */
  readonly title: string;
  readonly seed: string;
  readonly setup: SimulationSetup;
  readonly faults: readonly Fault[];
  /** What a run of it is expected to end in: `pass`, or an invariant that it breaks. Run again without that, it is inconclusive. */
  readonly expect?: string;
}

export const PROVIDER_MODELS = ['keyed', 'lookup', 'plain'] as const;
export type ProviderModel = (typeof PROVIDER_MODELS)[number];

/** What a world may have of these, by flag and by plan. More recipients fit no memory, more workers no patience. */
export const SETUP_RANGES = {
  recipients: { least: 1, most: 1_000_000 },
  workers: { least: 1, most: 64 },
  concurrency: { least: 1, most: 10_000 },
} as const;

/** The world of a run: everything but the faults and the seed. */
export interface SimulationSetup {
  /** How many recipients, counted from 0, or which ones: a shrunk plan keeps the numbers of those it needs. */
  readonly recipients: number | readonly number[];
  readonly workers: number;
  readonly concurrency: number;
  readonly provider: ProviderModel;
  readonly class: string;
  readonly onUnknown: string | null;
  /** `true`: wakes go through a queue. `false`: workers ask the ledger alone. */
  readonly queue: boolean;
  /** Name of a known-bad sender, or null for the real worker. */
  readonly sender: string | null;
  /** Durations and sizes that a profile may shrink to their least: see `world/knobs.ts` for names, units and defaults. */
  readonly knobs: Readonly<Record<string, number>>;
}
