import type { CommandError } from '../command-error.ts';
import type { SimulateFlags } from '../simulate/flags.ts';
import type { TerminalKind } from '../terminal.ts';

/** What the thread of a simulation is started with. */
export interface ThreadStart {
  readonly flags: SimulateFlags;
  readonly terminal: TerminalKind;
  /** Shared with the thread: see `Running`. */
  readonly running: SharedArrayBuffer;
}

/** What it says to the process; exactly one of `ended` and `failed` is its last word, unless it is cut short. */
export type ThreadMessage =
  | { readonly kind: 'out' | 'err'; readonly text: string }
  /** What the numbers in `Running` stand for. */
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'ended'; readonly exitCode: number }
  | { readonly kind: 'failed'; readonly error: CommandError };
