import type { HistoryEvent } from '../history.ts';

/** One event a line, oldest first, for `jq` and the like. */
export function* ndjson(events: Iterable<HistoryEvent>): Generator<string> {
  for (const event of events) yield `${JSON.stringify(event)}\n`;
}
