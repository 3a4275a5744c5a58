import type { NotifierConfig, WorkerOptions } from '@sendonce/core';
import type { SimulationSetup } from '../plan.ts';

/** What works in place of the real worker: same ports, same life. */
export interface Sender {
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

/** Makes the worker of one virtual process from the config that its ports are in. */
export type SenderFactory = (config: NotifierConfig, options: WorkerOptions) => Sender;

/** In which class of the end count a bad sender is caught; `stuck` is a liveness violation. */
export type CaughtBy = 'duplicated' | 'lost' | 'stuck';

/** A small strategy that people really write, which breaks under faults that really happen. */
export interface KnownBadSender {
  readonly name: string;
  /** What it does, in one sentence. */
  readonly about: string;
  /** What goes wrong, in one sentence. */
  readonly why: string;
  /** What to do instead. */
  readonly instead: string;
  readonly caughtBy: readonly CaughtBy[];
  /** The world in which it is used, where that differs from the default. */
  readonly setup: Partial<SimulationSetup>;
  /** Kinds of fault to search with (names of the fault table). */
  readonly kinds: readonly string[];
  readonly make: SenderFactory;
}
