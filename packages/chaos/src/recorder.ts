import type { HistoryEvent, Observer } from './history.ts';

export interface RecorderOptions {
  /** Keeps the first so many events and counts the rest. @defaultValue Infinity */
  readonly max?: number;
}

export interface Recorder extends Observer {
  /** In order; grows while the run goes on. */
  readonly events: readonly HistoryEvent[];
  /** Events that came after `max`. */
  readonly dropped: number;
}

/** Keeps a run's events, for the timeline and for `events.ndjson`. The first ones, because a story is told from its beginning. */
export function recorder({ max = Infinity }: RecorderOptions = {}): Recorder {
  const events: HistoryEvent[] = [];
  let dropped = 0;
  return {
    events,
    get dropped() {
      return dropped;
    },
    on(event) {
      if (events.length < max) events.push(event);
      else dropped += 1;
    },
  };
}
