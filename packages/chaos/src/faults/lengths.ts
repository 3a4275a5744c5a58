import type { Knobs } from '../world/knobs.ts';

/** What the length of a fault depends on. */
export interface Measure {
  /** The fault's own length and number, with their presets. */
  readonly ms: number;
  readonly amount: number;
  readonly knobs: Knobs;
  readonly workers: number;
}

/** How long what a fault did goes on, ms from its strike. The heal point comes when every fault that fired is over. */
export type LastsMs = (measure: Measure) => number;

/** One call went wrong: its caller gives up in its own time. */
export const atOnce: LastsMs = () => 0;

/** As long as it says. */
export const asItSays: LastsMs = ({ ms }) => ms;

/** How long a process lives that is killed right after its start. */
export const BLINK_MS = 1;
/** Between the end of one process and the start of the one that replaces it. */
export const REPLACE_MS = 10;
/** A worker that is stopped by a deploy gets its grace period and this much more before SIGKILL. */
export const STOP_PATIENCE_MS = 1_000;
/** A request waits this long at most for an operator who acts right before it, and never longer than a request may be under way. */
const ACT_MOST_MS = 1_000;

export function holdMs({ transitMs }: { readonly transitMs: number }): number {
  return Math.min(ACT_MOST_MS, transitMs);
}

/** What an operator's script is in the middle of when it is killed. */
export const SCRIPT_KILLED_AFTER_MS = 3;
