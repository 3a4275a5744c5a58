import { isSettled, type DeliveryState, type TelemetryEvent } from '@sendonce/core';
import { grouped } from '../flags/parse-values.ts';
import { plainReason } from './plain-reason.ts';

/** What this process's worker has done, and what troubles it, as its events tell. */
export class Vitals {
  /** Deliveries that it settled, by what became of them. */
  readonly settled = new Map<DeliveryState, number>();
  /** Why it is degraded; none: it is not. */
  readonly troubles = new Set<string>();
  /** Since the last one nothing was settled although work was due. */
  saidNoProgress = false;

  note(event: TelemetryEvent): void {
    switch (event.kind) {
      case 'delivery.moved':
        if (!isSettled(event.to)) return;
        this.saidNoProgress = false;
        this.settled.set(event.to, (this.settled.get(event.to) ?? 0) + 1);
        return;
      case 'worker.degraded':
        // A sink that fails is no trouble of the worker.
        if (event.worker !== 'alerts' && event.worker !== 'telemetry') this.troubles.add(plainReason(event.reason));
        return;
      case 'worker.recovered':
        if (event.worker !== 'alerts' && event.worker !== 'telemetry') this.troubles.clear();
        return;
      case 'worker.no-progress':
        this.saidNoProgress = true;
        return;
      case 'notification.moved':
      case 'attempt.ended':
      case 'delivery.failover':
      case 'delivery.stray':
      case 'function.shared':
      case 'pruning.stopped':
      case 'pruning.resumed':
      case 'duplicate.recorded':
        return;
    }
  }

  /** `1,200 sent, 3 parked`. */
  get words(): string {
    const counts = [...this.settled].map(([state, count]) => `${grouped(count)} ${state}`);
    return counts.length === 0 ? 'nothing sent' : counts.join(', ');
  }
}
