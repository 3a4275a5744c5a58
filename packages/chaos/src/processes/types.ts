import type { Fault, SimulationSetup } from '../plan.ts';
import type { Progress, SimulateReport, Workload } from '../report/types.ts';
import type { RealFacts } from './facts.ts';
import type { ServerFault } from './server-faults.ts';
import type { OpenLedger, OpenQueue } from './opening.ts';

export interface ServerFaults {
  readonly faults: readonly ServerFault[];
  /** Whether the ledger takes a restart for a loss of memory, and stands still after it. */
  readonly isForgetful: boolean;
  /** Carries one out; resolves when the server is back. */
  readonly strike: (fault: ServerFault) => Promise<void>;
}

export interface RealOptions {
  readonly setup: SimulationSetup;
  readonly seed: string;
  readonly faults: readonly Fault[];
  /** @defaultValue 0 */
  readonly dropAcks?: number;
  /** A list of recipients. @defaultValue made from the seed */
  readonly workload?: Workload | null;
  /** The files that the processes run. `worker` calls `runWorkerProcess`, `provider` calls `runProviderProcess`. */
  readonly entries: { readonly worker: URL; readonly provider: URL };
  /** Opens what `ledger` names; the worker's entry opens it in the same way. */
  readonly openLedger: OpenLedger;
  /** Gives the ledger's address; `folder` is the run's own, and made by then. */
  readonly ledger: (folder: string) => string;
  /** A queue that is there, and how it is opened. @defaultValue the run's own, where the setup has a queue */
  readonly queue?: { readonly address: string; readonly open: OpenQueue } | null;
  /** Servers that break meanwhile. @defaultValue none */
  readonly serverFaults?: ServerFaults | null;
  /** How many times as fast as the host's the clock of the run is. @defaultValue 1 */
  readonly speed?: number;
  /** Leave the folder with ledger and mailbox. @defaultValue false */
  readonly keep?: boolean;
  /** What the run is expected to end in, as in a plan. @defaultValue nothing */
  readonly expect?: string | undefined;
  readonly onProgress?: (progress: Progress) => void;
  /** Aborting it kills every process at once; what is known by then is reported. */
  readonly signal?: AbortSignal;
}

export interface RealReport extends SimulateReport {
  readonly mode: 'real';
  readonly real: RealFacts;
}
