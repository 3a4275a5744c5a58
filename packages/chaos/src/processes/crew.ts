import { startChild, type Child } from './child.ts';
import type { Crash, Exit, Kill } from './facts.ts';
import type { Announcement, GateAnswer } from './gate.ts';
import type { WorkOrders } from './orders.ts';
import { openPoint, type Point } from './points.ts';
import type { Strikes } from './strikes.ts';

export interface CrewParts {
  readonly entry: URL;
  readonly folder: string;
  readonly strikes: Strikes;
  readonly now: () => number;
  readonly ordersFor: (name: string, gate: WorkOrders['gate']) => WorkOrders;
  /** The worker stands at a point and does nothing until it is answered. */
  readonly announced: (worker: string, announcement: Announcement) => void;
}

/** As often may a worker die by itself before nobody starts it any more. */
const MOST_CRASHES = 3;
/** Between the end of a worker that died by itself and its next start, ms. */
const AFTER_CRASH_MS = 200;

interface Running {
  readonly child: Child;
  readonly point: Point | null;
  readonly startedAt: number;
  isWanted: boolean;
}

/** The worker processes of a run: started, killed, and started again. */
export class Crew {
  readonly kills: Kill[] = [];
  readonly crashes: Crash[] = [];
  readonly #parts: CrewParts;
  readonly #running = new Map<string, Running>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #doomed = new Map<string, { left: number; readonly backAfterMs: number }>();
  #starts = 0;
  #isOver = false;

  constructor(parts: CrewParts) {
    this.#parts = parts;
  }

  /** Nobody is about to come back. */
  get isComplete(): boolean {
    return this.#timers.size === 0;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Whether this very process lives and nobody has struck it. */
  isRunning(name: string, pid: number): boolean {
    const running = this.#running.get(name);
    return running !== undefined && running.isWanted && running.child.pid === pid;
  }

  start(name: string): void {
    if (this.#isOver) return;
    const { entry, folder, strikes, now, ordersFor, announced } = this.#parts;
    const { ops } = strikes;
    this.#starts += 1;
    const point =
      ops.length === 0
        ? null
        : openPoint({ folder, name: `${name}-${this.#starts}`, ops, announced: (each) => announced(name, each) });
    const child = startChild(entry, ordersFor(name, point?.orders ?? null));
    const running: Running = { child, point, startedAt: now(), isWanted: true };
    this.#running.set(name, running);
    void child.ended.then((exit) => this.#ended(name, running, exit));
    const doomed = this.#doomed.get(name);
    if (doomed === undefined || doomed.left === 0) return;
    doomed.left -= 1;
    void this.kill(name, doomed.backAfterMs);
  }

  answer(name: string, answer: GateAnswer): void {
    this.#running.get(name)?.point?.answer(answer);
  }

  /** SIGKILL. Resolves when the process is gone; it is started again after `backAfterMs` of the host's clock (null: never). */
  async kill(name: string, backAfterMs: number | null): Promise<Kill | null> {
    const running = this.#running.get(name);
    if (running === undefined || !running.isWanted) return null;
    running.isWanted = false;
    running.child.signal('SIGKILL');
    await running.child.ended;
    const kill = { worker: name, pid: running.child.pid, startedAt: running.startedAt, at: this.#parts.now() };
    this.kills.push(kill);
    if (backAfterMs !== null) this.#later(backAfterMs, () => this.start(name));
    return kill;
  }

  /** The next `times` starts of this worker are killed at once, too. */
  doom(name: string, times: number, backAfterMs: number): void {
    this.#doomed.set(name, { left: times, backAfterMs });
  }

  pause(name: string, ms: number): void {
    const child = this.#running.get(name)?.child;
    child?.signal('SIGSTOP');
    this.#later(ms, () => child?.signal('SIGCONT'));
  }

  /** SIGTERM; SIGKILL `ms` later if it still runs; then a new process. */
  async stop(name: string, ms: number): Promise<void> {
    const running = this.#running.get(name);
    if (running === undefined || !running.isWanted) return;
    running.isWanted = false;
    await stopped(running.child, ms);
    this.start(name);
  }

  /** Everybody finishes what is on its way, or is killed after `ms`. */
  async stopAll(ms: number): Promise<void> {
    this.#end();
    await Promise.all([...this.#running.values()].map(({ child }) => stopped(child, ms)));
  }

  async killAll(): Promise<void> {
    const all = [...this.#running.values()];
    this.abandon();
    await Promise.all(all.map(({ child }) => child.ended));
  }

  abandon(): void {
    this.#end();
    for (const { child } of this.#running.values()) child.signal('SIGKILL');
  }

  #end(): void {
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    for (const running of this.#running.values()) {
      running.isWanted = false;
      // Somebody who stands still hears no signal to stop.
      running.child.signal('SIGCONT');
    }
  }

  #ended(name: string, running: Running, exit: Exit): void {
    running.point?.close();
    if (this.#running.get(name) === running) this.#running.delete(name);
    if (!running.isWanted) return;
    this.crashes.push({ worker: name, ...exit });
    const times = this.crashes.filter(({ worker }) => worker === name).length;
    if (times <= MOST_CRASHES) this.#later(AFTER_CRASH_MS, () => this.start(name));
  }

  #later(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, ms);
    this.#timers.add(timer);
  }
}

async function stopped(child: Child, ms: number): Promise<void> {
  child.signal('SIGTERM');
  const timer = setTimeout(() => child.signal('SIGKILL'), ms);
  await child.ended;
  clearTimeout(timer);
}
