import type { Paint } from './paint.ts';

/** Rows of the recipients' source: input = requested + merged + invalid. */
export interface InputSummary {
  /** Where they came from, for people: a file's name, or null when the seed made them. */
  readonly source: string | null;
  readonly rows: number;
  readonly merged: number;
  readonly invalid: readonly InvalidRow[];
}

export interface InvalidRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly reason: string;
}

/** What a renderer needs beside the report; known to whoever started the run. */
export interface ReportContext {
  readonly input: InputSummary;
  /** The command that does all of it again. */
  readonly again: string;
  /** The command that runs one schedule of a search alone, by its seed. */
  readonly alone?: (seed: string) => string;
  /** Where the minimal plan was written, and the command that runs it. */
  readonly planFile: string | null;
  readonly replay: string | null;
  /** The command that runs it on real processes, where they can be made to show it. */
  readonly replayForReal?: string | null;
  /** Where the full lists are, or null when nothing was asked to be written. */
  readonly directory: string | null;
  /** Plans that the user keeps and that passed before this run. */
  readonly regressions: number;
  /** The user's own providers (`--config`), in a line; null: the simulated ones of `setup.provider`. */
  readonly providers: string | null;
  readonly paint: Paint;
}
