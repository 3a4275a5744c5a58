import { reasonOf } from './model/errors.ts';
import type { Clock } from './ports/clock.ts';
import type { Alert, AlertKind, AlertSink, TelemetryEvent } from './ports/telemetry.ts';
import { inTime } from './stages/in-time.ts';

/** Events of one kind within this time are one alert, ms: an outage is one message with a count, not two thousand. */
const GROUP_MS = 10_000;
const EXAMPLES = 5;
/** How long a sink may take over one alert, ms. */
const SINK_LIMIT_MS = 15_000;

const WORDING: Readonly<Record<AlertKind, { readonly summary: (count: number) => string; readonly next: string }>> = {
  'dead-letter': {
    summary: (count) => `${count} ${count === 1 ? 'message' : 'messages'} gave up and became dead letters`,
    next: 'docs/how-to/handle-dead-letters.md',
  },
  parked: {
    summary: (count) =>
      `${count} ${count === 1 ? 'message is parked: nothing can tell whether it was' : 'messages are parked: nothing can tell whether they were'} sent`,
    next: 'docs/how-to/handle-dead-letters.md',
  },
  failover: {
    summary: (count) => `${count} ${count === 1 ? 'message went' : 'messages went'} to another provider`,
    next: 'notifier.status()',
  },
  'pruning-stopped': {
    summary: () =>
      'so many destinations look dead that none is given up any more: look for a wrong environment, key or app first',
    next: 'docs/how-to/keep-device-tokens.md',
  },
  'no-progress': { summary: () => 'work is due but nothing is being settled', next: 'notifier.status()' },
};

interface Group {
  readonly since: number;
  count: number;
  readonly examples: string[];
}

/** Groups telemetry into alerts and hands them to every sink. A group that no sink took comes again with the next one. No
 * method rejects, whatever a sink does. */
export class Alerting {
  readonly #sinks: readonly AlertSink[];
  readonly #clock: Clock;
  readonly #emit: (event: TelemetryEvent) => void;
  readonly #groups = new Map<AlertKind, Group>();
  readonly #failing = new Set<AlertSink>();
  #flushing: Promise<void> | null = null;

  constructor(sinks: readonly AlertSink[], clock: Clock, emit: (event: TelemetryEvent) => void) {
    this.#sinks = sinks;
    this.#clock = clock;
    this.#emit = emit;
  }

  note(event: TelemetryEvent): void {
    if (this.#sinks.length === 0) return;
    const kind = alertKind(event);
    if (kind === null) return;
    this.#add(kind, 'id' in event ? event.id : '', 1);
  }

  #add(kind: AlertKind, example: string, count: number): void {
    const group = this.#groups.get(kind) ?? { since: this.#clock.now(), count: 0, examples: [] };
    group.count += count;
    if (group.examples.length < EXAMPLES && example !== '') group.examples.push(example);
    this.#groups.set(kind, group);
  }

  /** Sends the groups that are old enough, or all of them. */
  async flush(all = false): Promise<void> {
    const now = this.#clock.now();
    for (const [kind, group] of [...this.#groups]) {
      if (!all && now - group.since < GROUP_MS) continue;
      this.#groups.delete(kind);
      await this.#send({
        kind,
        at: now,
        count: group.count,
        examples: group.examples,
        summary: WORDING[kind].summary(group.count),
        next: WORDING[kind].next,
      });
    }
  }

  /** Sends the groups that are old enough while the caller goes on. A flush that is under way is not joined by another. */
  flushSoon(): void {
    this.#flushing ??= this.flush().finally(() => (this.#flushing = null));
  }

  /** Resolves when nothing is being sent. */
  async settled(): Promise<void> {
    await this.#flushing;
  }

  async #send(alert: Alert): Promise<void> {
    const took = await Promise.all(this.#sinks.map((sink) => this.#hand(alert, sink)));
    // Every sink failed: keep the group for the next round. If one got it, a person knows.
    if (took.every((each) => !each)) this.#keep(alert);
  }

  /** Whether the sink took it. Never rejects. */
  async #hand(alert: Alert, sink: AlertSink): Promise<boolean> {
    try {
      await this.#bounded(async () => sink.send(alert));
      this.#failing.delete(sink);
      return true;
    } catch (thrown) {
      this.#tellFailed(sink, `an alert sink failed: ${reasonOf(thrown)}`);
      return false;
    }
  }

  /** No sink may keep anybody for ever; `work` may throw as it likes. */
  async #bounded(work: () => Promise<void>): Promise<void> {
    await inTime(this.#clock, work(), SINK_LIMIT_MS, () => {
      throw new Error(`no answer within ${SINK_LIMIT_MS} ms`);
    });
  }

  /** Once, until it takes one again. */
  #tellFailed(sink: AlertSink, reason: string): void {
    if (this.#failing.has(sink)) return;
    this.#failing.add(sink);
    this.#emit({ kind: 'worker.degraded', at: this.#clock.now(), worker: 'alerts', reason });
  }

  #keep(alert: Alert): void {
    this.#add(alert.kind, '', alert.count);
    for (const example of alert.examples) this.#add(alert.kind, example, 0);
  }

  async close(): Promise<void> {
    await this.settled();
    await this.flush(true);
    await Promise.all(this.#sinks.map((sink) => this.#close(sink)));
  }

  async #close(sink: AlertSink): Promise<void> {
    try {
      await this.#bounded(async () => sink.close());
    } catch (thrown) {
      this.#tellFailed(sink, `an alert sink could not be closed: ${reasonOf(thrown)}`);
    }
  }
}

function alertKind(event: TelemetryEvent): AlertKind | null {
  switch (event.kind) {
    case 'delivery.moved':
      if (event.to === 'parked') return 'parked';
      return event.to === 'dead' || event.to === 'failed' ? 'dead-letter' : null;
    case 'notification.moved':
      return event.to === 'failed' ? 'dead-letter' : null;
    case 'delivery.failover':
      return 'failover';
    case 'worker.no-progress':
      return 'no-progress';
    case 'pruning.stopped':
      return 'pruning-stopped';
    case 'pruning.resumed':
    case 'attempt.ended':
    case 'function.shared':
    case 'delivery.stray':
    case 'duplicate.recorded':
    case 'worker.degraded':
    case 'worker.recovered':
      return null;
  }
}
