import type { NotifierConfig, TargetInput } from '@sendonce/core';
import type { HistoryEvent } from '../history.ts';
import type { Fault, PlanFile, SimulationSetup } from '../plan.ts';
import type { RealFacts } from '../processes/facts.ts';
import type { RunResult, Tally } from '../result.ts';
import type { RunVerdict } from '../verdict.ts';

/** What is sent, when it is not made from the seed. */
export type Workload =
  /** `targets[17]` is recipient `r17`; `doubles` name somebody in `targets` again and are published after them, so that merging is run too. */
  | { readonly kind: 'recipients'; readonly targets: readonly TargetInput[]; readonly doubles: readonly TargetInput[] }
  /**
   * The user's own types, routes, classes, policies and their providers' capabilities; of their adapters only `check` is called. `samples`
   * notifications, round robin over the types that have a route; each other type is published once, to `targets` (null: made from the seed).
   */
  | {
      readonly kind: 'config';
      readonly config: NotifierConfig;
      readonly samples: number;
      readonly targets: readonly TargetInput[] | null;
    };

export interface Progress {
  readonly schedules: number;
  /** Null when the end is a time (`forMs`). */
  readonly ofSchedules: number | null;
  /** Recipients settled, over all schedules so far. */
  readonly settled: number;
  /** A schedule has failed, and the smallest plan that fails is being looked for. */
  readonly shrinking: boolean;
  readonly wallMs: number;
}

export interface SimulateOptions {
  readonly setup: SimulationSetup;
  readonly seed: string;
  /** In every schedule. */
  readonly faults: readonly Fault[];
  /** Share of sends, 0 to 1, whose message is accepted and whose reply is lost, in every schedule. @defaultValue 0 */
  readonly dropAcks?: number;
  /** @defaultValue 1 */
  readonly schedules?: number;
  /** Go on with fresh schedules until this much real time has passed; then `schedules` does not count. */
  readonly forMs?: number | null;
  /** A profile, or fault kinds, from which every schedule draws more faults; null: none. @defaultValue null */
  readonly profile?: readonly string[] | null;
  /** @defaultValue made from the seed */
  readonly workload?: Workload | null;
  /** Keep the events of a passing run too. @defaultValue false */
  readonly record?: boolean;
  /**
   * Runs the schedules of a search in threads; what it finds is the same. Not used with a workload of a config: its functions can be given
   * to no thread. @defaultValue all run here
   */
  readonly threads?: {
    /** What `@sendonce/chaos/search-thread` resolves to. */
    readonly entry: URL;
    /** @defaultValue as many as the machine runs at once, 8 at most, and fewer from 30,000 recipients on, so that their worlds fit into memory */
    readonly threads?: number;
    /** A search that is over sooner than this has no use for threads, which take as long to start: real ms. @defaultValue 300 */
    readonly afterMs?: number;
  };
  /** Called between schedules and every few thousand events. */
  readonly onProgress?: (progress: Progress) => void;
  /** Aborting it ends the search early, with what is known: `interrupted`. */
  readonly signal?: AbortSignal;
}

/** The smallest plan found that still shows the violation. */
export interface Minimal {
  readonly plan: PlanFile;
  /** What may vary without losing it, in sentences: "any worker", "any length of at least 14 min". */
  readonly explanation: readonly string[];
  readonly result: RunResult;
}

export interface FaultCoverage {
  readonly kind: string;
  readonly armed: number;
  readonly fired: number;
}

export interface Coverage {
  readonly faults: readonly FaultCoverage[];
  /** Moves of the transition table that were seen, and how many there are. */
  readonly moves: { readonly seen: number; readonly declared: number };
  /** Ordered pairs of fault kinds that fired in one schedule. */
  readonly pairs: number;
}

/** Whoever got nothing, or came to no end, for one reason, over all schedules of a search. */
export interface EndReason {
  /** One of `LISTED_ENDS`. */
  readonly state: string;
  readonly reason: string;
  readonly count: number;
  /** In how many schedules that was so, and in how many of those each kind of fault fired; the most frequent first. None with `own`. */
  readonly schedules: number;
  readonly faults: readonly { readonly kind: string; readonly schedules: number }[];
  /** As in `NotSent`. */
  readonly own?: true;
}

/** A line of `not-sent.ndjson` after a search. */
export type EndLine = {
  /** One of `LISTED_ENDS`, or `unsealed`. */
  readonly kind: string;
  /** Which schedule it was, from 1, and the seed that runs it alone. */
  readonly schedule: number;
  readonly seed: string;
} &
  /** `recipient`: the user's own id, else `r17`. */
  (
    | { readonly recipient: string; readonly to: string | null; readonly reason: string }
    | { readonly notificationId: string; readonly targets: number }
  );

/** Who got nothing, over all schedules of a search. */
export interface Ends {
  readonly reasons: readonly EndReason[];
  /**
   * What is in no sum: so many recipients (with a config nobody knows them: 0) of so many schedules, whose producer was gone before its
   * list was complete, or whose store lost the notification with its memory. Nobody of them got anything.
   */
  readonly outside: {
    readonly recipients: number;
    readonly schedules: number;
    readonly producerGone: number;
    readonly forgotten: number;
  };
  /** The first 10,000. */
  readonly lines: readonly EndLine[];
  /** How many more there were. */
  readonly leftOut: number;
}

export interface SimulateReport {
  readonly verdict: RunVerdict;
  readonly mode: 'virtual' | 'real';
  readonly seed: string;
  readonly setup: SimulationSetup;
  /** Schedules run to their end. */
  readonly schedules: number;
  /** Sums over all schedules run. */
  readonly totals: {
    readonly requested: number;
    readonly tally: Tally;
    readonly armed: number;
    readonly fired: number;
    readonly virtualMs: number;
  };
  /** The first schedule that failed, else the first one that ran. */
  readonly result: RunResult;
  /** Where several schedules ran. */
  readonly ends?: Ends;
  readonly minimal: Minimal | null;
  /** The events of the minimal run, else (with `record`) of `result`; empty when nothing was kept. */
  readonly events: readonly HistoryEvent[];
  /** Who is who in `events`, `result` and `minimal`: delivery id to recipient (`r17`), recipient to address, and to the user's own id. */
  readonly recipientOf: Readonly<Record<string, string>>;
  readonly addressOf: Readonly<Record<string, string>>;
  readonly idOf: Readonly<Record<string, string>>;
  readonly coverage: Coverage;
  /** The invariants that were checked, in order; none where no schedule came to its end. */
  readonly checked: readonly string[];
  /** Why the verdict is `inconclusive`, in sentences. */
  readonly doubts: readonly string[];
  /** The same schedule gave two histories. */
  readonly nondeterminism: { readonly seed: string; readonly first: string; readonly second: string } | null;
  /** Somebody did not wait; with a `violation` or `nondeterminism`, for more after it was found. */
  readonly interrupted: boolean;
  readonly wallMs: number;
  /** Of a run of real processes. */
  readonly real?: RealFacts;
  /** Over all schedules, in order. */
  readonly traceHash: string;
}

/** One known-bad sender, and whether it was caught. */
export interface SelfTestRow {
  readonly sender: string;
  /** What it does wrong, in one sentence. */
  readonly about: string;
  /** The classes of violation that count as caught: `duplicated`, `lost`, `stuck`, ... */
  readonly expected: readonly string[];
  readonly caught: boolean;
  /** The violation that was seen, or null. */
  readonly seen: string | null;
  readonly plan: PlanFile | null;
  readonly wallMs: number;
}

export interface SelfTestReport {
  readonly passed: boolean;
  readonly rows: readonly SelfTestRow[];
  readonly wallMs: number;
  readonly interrupted: boolean;
}

export interface SelfTestOptions {
  readonly seed: string;
  /** @defaultValue all of them */
  readonly senders?: readonly string[];
  readonly onProgress?: (done: number, of: number) => void;
  readonly signal?: AbortSignal;
}
