import { Agenda, type Entry } from './agenda.ts';
import { enterWorld, leaveWorld, type Guard } from './guard.ts';

/** How many instants are run in one turn of the host's event loop. */
const INSTANTS_A_TURN = 64;

// The kernel's own: it must go on working while the world's is poisoned.
const realSetImmediate = setImmediate;

/** Why a run stopped: as wanted, at its bound of virtual time, at its bound of events, because nothing was left to happen, or from outside. */
export type RunEnd = 'done' | 'time' | 'events' | 'idle' | 'aborted';

/** So many events are a few milliseconds. */
const ASK_EVERY = 2_000;

export interface RunLimits {
  /** Asked after each instant; true ends the run. */
  readonly until: () => boolean;
  /** Virtual time that is never passed, ms; asked after each instant, so it may move. */
  readonly lastMs: () => number;
  /** Asked after each instant: how many events may have been by now. */
  readonly mostEvents: () => number;
  /** Called after each instant, outside the world. @defaultValue nothing */
  readonly afterInstant?: () => void;
  /** Asked every few thousand events, outside the world; true ends the run. @defaultValue never */
  readonly isAborted?: () => boolean;
}

/** Virtual time: whole milliseconds from 0, and everything that is still to happen. */
export class Kernel {
  readonly seed: number;
  /** Virtual ms since the start. */
  now = 0;
  /** How many entries have been fired. */
  events = 0;
  readonly guard: Guard = { violation: null };
  readonly #agenda = new Agenda();
  #askAt = ASK_EVERY;

  constructor(seed: number) {
    this.seed = seed;
  }

  /** Fires the entry `delayMs` from now; 0 is later in this same millisecond. */
  schedule(delayMs: number, entry: Entry): void {
    this.#agenda.add(this.now + delayMs, entry);
  }

  /** The entry will not fire, and does not keep its instant. A second call does nothing. */
  cancel(entry: Entry): void {
    this.#agenda.cancel(entry);
  }

  /**
   * Runs instant after instant: all that is due at one time, then the microtasks it left, then the next.
   * @throws what an entry threw, or the DETERMINISM_VIOLATION that the world committed.
   */
  run(limits: RunLimits): Promise<RunEnd> {
    return new Promise((resolve, reject) => {
      let failure: unknown = null;
      let isOpen = false;
      let isOver = false;
      const open = (): void => {
        isOpen = true;
        enterWorld(this.guard);
        try {
          this.#instant();
        } catch (error) {
          failure = error ?? new Error('an event threw nothing');
        }
      };
      const close = (): void => {
        isOpen = false;
        leaveWorld();
        const thrown: unknown = this.guard.violation ?? failure;
        if (thrown === null) limits.afterInstant?.();
        const end = thrown === null ? this.#end(limits) : null;
        isOver = thrown !== null || end !== null;
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passed on as it was thrown
        if (thrown !== null) reject(thrown);
        else if (end !== null) resolve(end);
      };
      const next = (): void => {
        if (isOpen) close();
        if (!isOver) open();
      };
      const last = (): void => {
        if (isOpen) close();
        if (!isOver) turn();
      };
      // Queued together, so nothing of the host can come between an instant and the microtasks that it leaves: those run after each
      // callback. Many at once, because each turn of the host's event loop costs as much as an instant.
      const turn = (): void => {
        for (let instant = 0; instant < INSTANTS_A_TURN; instant++) realSetImmediate(next);
        realSetImmediate(last);
      };
      const end = this.#end(limits);
      if (end !== null) return resolve(end);
      turn();
    });
  }

  #instant(): void {
    const instant = this.#agenda.take();
    if (instant === null) return;
    this.now = instant.at;
    for (const entry of instant.entries) {
      // An entry may cancel a later one of its own instant.
      if (entry.cancelled) continue;
      entry.instant = null;
      this.events++;
      entry.fire();
    }
  }

  #end({ until, lastMs, mostEvents, isAborted }: RunLimits): RunEnd | null {
    if (until()) return 'done';
    if (this.events >= this.#askAt) {
      this.#askAt = this.events + ASK_EVERY;
      if (isAborted?.() === true) return 'aborted';
    }
    const next = this.#agenda.nextAt();
    if (next === Infinity) return 'idle';
    if (next > lastMs()) return 'time';
    return this.events >= mostEvents() ? 'events' : null;
  }
}
