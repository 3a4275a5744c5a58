import { reasonOf } from '../model/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Telemetry, TelemetryEvent } from '../ports/telemetry.ts';

export interface TellingParts {
  readonly clock: Clock;
  /** Where the person who runs this process sees it, though no sink works. */
  readonly warn: (message: string) => void;
}

/**
 * Hands each event to every sink. No sink can hurt or hold up what it is told about: what it throws or rejects with is caught, and a
 * promise is not waited for. Its first failure is said once, as a warning of the process and as `worker.degraded` to the other sinks.
 */
export function telling(sinks: readonly Telemetry[], { clock, warn }: TellingParts): (event: TelemetryEvent) => void {
  const broken = new Set<Telemetry>();
  const failed = (sink: Telemetry, thrown: unknown): void => {
    if (broken.has(sink)) return;
    broken.add(sink);
    const reason = `telemetry sink ${sinks.indexOf(sink) + 1} of ${sinks.length} failed: ${reasonOf(thrown)}`;
    warn(`${reason}. What it was told may be missing there; nothing else is affected, and this is said once`);
    for (const other of sinks)
      if (other !== sink) hand(other, { kind: 'worker.degraded', at: clock.now(), worker: 'telemetry', reason });
  };
  const hand = (sink: Telemetry, event: TelemetryEvent): void => {
    try {
      const answer: unknown = sink.emit(event);
      // It should answer nothing; an async function answers a promise, whose rejection would end the process.
      if (isThenable(answer)) void Promise.resolve(answer).catch((thrown: unknown) => failed(sink, thrown));
    } catch (thrown) {
      failed(sink, thrown);
    }
  };
  return (event) => {
    for (const sink of sinks) hand(sink, event);
  };
}

function isThenable(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'then' in answer;
}
