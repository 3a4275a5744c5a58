import { REPLACE_MS } from '../faults/lengths.ts';
import { draw, hashText } from '../kernel/draw.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { begin, end, newProcess, type Life, type Process } from '../kernel/process.ts';
import type { Emitter } from './emitter.ts';

const FIRST_START = hashText('first start');
const START_SPREAD_MS = 5;

export type Role = 'worker' | 'producer';

/** A virtual process and what it runs. */
export interface Member {
  readonly process: Process;
  readonly role: Role;
  /** Runs until it is done, or the signal aborts and it has drained. */
  readonly main: (life: Life, signal: AbortSignal, variant: number) => Promise<void>;
  stop: AbortController | null;
  /** Which config it runs with; 0: the right one. */
  variant: number;
  /** Finished its work (a producer). */
  done: boolean;
  /** Killed for good. */
  gone: boolean;
}

/** A process that ended by throwing. */
export interface Crash {
  readonly at: number;
  readonly process: string;
  readonly error: unknown;
}

export interface CrewParts {
  readonly kernel: Kernel;
  readonly emitter: Emitter;
  readonly restartMs: number;
  readonly later: (ms: number, action: () => void) => void;
  /** Called whenever a process began or ended. */
  readonly changed: () => void;
  /** Called when a worker has begun; may end it again. */
  readonly started: (process: Process) => void;
}

/** The virtual processes of a run: starts, kills, pauses and stops them. */
export class Crew {
  readonly members: Member[] = [];
  readonly crashes: Crash[] = [];
  readonly #parts: CrewParts;

  constructor(parts: CrewParts) {
    this.#parts = parts;
  }

  /** Adds a process, and starts it within a few milliseconds. */
  add(name: string, role: Role, main: Member['main']): Member {
    const member: Member = { process: newProcess(name), role, main, stop: null, variant: 0, done: false, gone: false };
    this.members.push(member);
    const { kernel, later } = this.#parts;
    later((draw(kernel.seed, FIRST_START, member.process.hash, 0) % START_SPREAD_MS) + 1, () => this.#start(member));
    return member;
  }

  get workers(): readonly Member[] {
    return this.members.filter(({ role }) => role === 'worker');
  }

  /** A producer still has something to publish. */
  get isProducing(): boolean {
    return this.members.some(({ role, done, gone }) => role === 'producer' && !done && !gone);
  }

  /** Somebody who publishes was killed for good, and nobody has finished in its place. */
  get producerIsGone(): boolean {
    const producers = this.members.filter(({ role }) => role === 'producer');
    return producers.some(({ gone }) => gone) && !producers.some(({ done }) => done);
  }

  memberOf(process: Process): Member | undefined {
    return this.members.find((member) => member.process === process);
  }

  kill(process: Process, why: string, backAfterMs: number | null): void {
    const member = this.memberOf(process);
    if (process.life === null || member === undefined) return;
    end(process);
    this.#tell(process, 'kill', why);
    if (backAfterMs === null) member.gone = true;
    else this.#startIn(member, backAfterMs);
  }

  pause(process: Process, ms: number): void {
    const { kernel, later, changed } = this.#parts;
    const { life } = process;
    if (life === null) return;
    process.pausedUntil = Math.max(process.pausedUntil, kernel.now + ms);
    this.#tell(process, 'pause', null);
    later(ms, () => {
      if (!life.alive || process.pausedUntil > kernel.now) return;
      this.#tell(process, 'resume', null);
      changed();
    });
  }

  /** SIGTERM; SIGKILL when it still runs after `ms`. A new process takes its place. */
  stop(process: Process, ms: number): void {
    const { kernel, later } = this.#parts;
    const member = this.memberOf(process);
    const { life } = process;
    if (life === null || member === undefined || member.stop === null) return;
    const { stop } = member;
    this.#tell(process, 'stop', null);
    // A process that stands still hears of it when it runs again.
    if (process.pausedUntil > kernel.now) later(process.pausedUntil - kernel.now, () => stop.abort());
    else stop.abort();
    later(ms, () => {
      if (life.alive) this.kill(process, `still running ${ms} ms after SIGTERM`, REPLACE_MS);
    });
  }

  #startIn(member: Member, ms: number): void {
    this.#parts.later(ms, () => {
      if (member.process.life === null && !member.gone) this.#start(member);
    });
  }

  #start(member: Member): void {
    const { process } = member;
    const life = begin(process);
    member.stop = new AbortController();
    this.#tell(process, 'start', null);
    if (member.role === 'worker') this.#parts.started(process);
    if (!life.alive) return;
    member.main(life, member.stop.signal, member.variant).then(
      () => this.#ended(member, life),
      (error: unknown) => this.#crashed(member, life, error),
    );
  }

  #ended(member: Member, life: Life): void {
    if (!life.alive) return;
    end(member.process);
    this.#tell(member.process, 'stopped', null);
    if (member.role === 'producer') member.done = true;
    else this.#startIn(member, REPLACE_MS);
  }

  #crashed(member: Member, life: Life, error: unknown): void {
    if (!life.alive) return;
    this.crashes.push({ at: this.#parts.kernel.now, process: member.process.name, error });
    this.kill(member.process, `threw ${String(error)}`, this.#parts.restartMs);
  }

  #tell(process: Process, what: 'start' | 'kill' | 'pause' | 'resume' | 'stop' | 'stopped', why: string | null): void {
    this.#parts.emitter.tell(process.name, { kind: 'process', what, why });
    this.#parts.changed();
  }
}
