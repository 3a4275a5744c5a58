import type { HistoryEvent, Observer } from '../history.ts';
import { enterWorld, leaveWorld, worldInside } from '../kernel/guard.ts';
import type { Kernel } from '../kernel/kernel.ts';

type Distribute<Event> = Event extends HistoryEvent ? Omit<Event, 'at' | 'process'> : never;
/** An event without its time and process. */
export type Happening = Distribute<HistoryEvent>;

/** Where a run's history goes. With nobody to listen, nothing is made. */
export class Emitter {
  readonly #kernel: Kernel;
  readonly #observers: readonly Observer[];

  constructor(kernel: Kernel, observers: readonly Observer[]) {
    this.#kernel = kernel;
    this.#observers = observers;
  }

  /** Ask before making an event. */
  get isHeard(): boolean {
    return this.#observers.length > 0;
  }

  emit(event: HistoryEvent): void {
    if (!this.isHeard) return;
    // Observers are harness code: they may look at the real clock. No closure, since there is an event per delivery and step.
    const world = worldInside();
    leaveWorld();
    try {
      for (const observer of this.#observers) observer.on(event);
    } finally {
      if (world !== null) enterWorld(world);
    }
  }

  /** For what is rare. */
  tell(process: string, happening: Happening): void {
    if (this.isHeard) this.emit({ at: this.#kernel.now, process, ...happening });
  }
}
