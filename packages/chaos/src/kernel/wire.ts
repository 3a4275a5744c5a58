import type { Entry, Instant } from './agenda.ts';
import { Call, type Carrier } from './call.ts';
import { between, draw, hashText, mix } from './draw.ts';
import { worldInside } from './guard.ts';
import type { Kernel } from './kernel.ts';
import { determinismViolation } from './poison.ts';
import { type Life, partitionOf } from './process.ts';
import type { Answer, Site, Span } from './site.ts';

const REQUEST = hashText('request');
const REPLY = hashText('reply');

/** Looks at a call when it is requested; asked only at sites where a fault is armed. */
export type Striker = (call: Call) => void;

/** The network between processes and the other sides of their ports. */
export class Wire implements Carrier {
  readonly kernel: Kernel;
  /** Calls and late copies under way that a run waits for. */
  busy = 0;
  /** By site index; a hole where nothing is armed. */
  readonly strikers: (Striker | undefined)[] = [];

  constructor(kernel: Kernel) {
    this.kernel = kernel;
  }

  /** Makes a call in the name of a process. It never settles once that start of the process has ended. */
  call<Args, Result>(life: Life, site: Site<Args, Result>, args: Args): Promise<Result> {
    if (worldInside() !== this.kernel.guard) this.kernel.guard.violation ??= realWait(site.op);
    if (!life.alive) return new Promise(() => {});
    const { process } = life;
    const n = process.calls[site.index] ?? 0;
    process.calls[site.index] = n + 1;
    const bits = site.address?.(args, life) ?? draw(this.kernel.seed, site.hash, process.hash, n);
    return new Promise((resolve, reject) => {
      const call = new Call(this, life, site, args, bits, resolve, reject);
      this.strikers[site.index]?.(call as unknown as Call);
      if (call.before === null) this.#leave(call);
      else void call.before.then(() => this.#leave(call));
    });
  }

  #leave<Args, Result>(call: Call<Args, Result>): void {
    const { site, life } = call;
    // A fault may have killed the caller before the request left.
    if (!life.alive) return;
    const { now } = this.kernel;
    const partition = partitionOf(life.process, site.peer, now);
    if (partition !== null && call.answer === null) {
      if (partition.ways === 'both') call.requestLost = true;
      else call.replyLost = true;
    }
    // A process that stands still between its last check and its first byte sends when it runs again.
    const stillMs = Math.max(0, life.process.pausedUntil - now);
    const requestMs = stillMs + call.extraRequestMs + this.#span(call, REQUEST, site.requestMs);
    if (site.awaited && !call.requestLost) this.busy++;
    if (call.answer !== null) return this.#reply(call, requestMs);
    if (!call.requestLost) this.kernel.schedule(requestMs, call);
    this.#watch(call, stillMs, requestMs);
  }

  /** Lets the caller give up where that may be needed: no answer will come, or none soon enough. */
  #watch<Args, Result>(call: Call<Args, Result>, stillMs: number, requestMs: number): void {
    const { site, args, givesUpAfterMs } = call;
    const slowestMs = requestMs + site.replyMs[1] + call.extraReplyMs;
    const patienceMs = givesUpAfterMs ?? site.patienceMs(args);
    if (call.requestLost || call.replyLost) this.#giveUp(call, stillMs + (givesUpAfterMs ?? site.timeoutMs(args)));
    else if (slowestMs > stillMs + patienceMs) this.#giveUp(call, stillMs + patienceMs);
  }

  #giveUp<Args, Result>(call: Call<Args, Result>, afterMs: number): void {
    if (call.watched) return;
    call.watched = true;
    this.kernel.schedule(Math.max(1, Math.ceil(afterMs)), new GiveUp(this.kernel, call as unknown as Call));
  }

  /** The request takes effect. */
  arrive<Args, Result>(call: Call<Args, Result>): void {
    if (call.copyAfterMs !== null) this.#copy(call, call.copyAfterMs);
    try {
      const result = call.site.apply(call.args, call.life);
      if (result instanceof Promise) this.#await(call, result);
      else this.#applied(call, { kind: 'value', value: result });
    } catch (error) {
      this.#applied(call, { kind: 'error', error });
    }
  }

  #await<Args, Result>(call: Call<Args, Result>, result: Promise<Result>): void {
    result.then(
      (value) => this.#applied(call, { kind: 'value', value }),
      (error: unknown) => this.#applied(call, { kind: 'error', error }),
    );
  }

  #applied<Args, Result>(call: Call<Args, Result>, answer: Answer<Result>): void {
    call.answer = answer;
    if (call.after === null) this.#answer(call);
    else void this.#afterwards(call);
  }

  async #afterwards<Args, Result>(call: Call<Args, Result>): Promise<void> {
    for (const hook of call.after ?? []) {
      const held = hook(call as unknown as Call);
      if (held !== undefined) await held;
    }
    this.#answer(call);
  }

  #answer<Args, Result>(call: Call<Args, Result>): void {
    const { site, life } = call;
    if (!call.replyLost && !call.observed && life.alive)
      return this.#reply(call, call.extraReplyMs + this.#span(call, REPLY, site.replyMs));
    if (site.awaited) this.busy--;
    if (call.replyLost && life.alive && !call.observed) this.#giveUp(call, site.timeoutMs(call.args));
  }

  #reply<Args, Result>(call: Call<Args, Result>, afterMs: number): void {
    call.carries = 'reply';
    call.rank = mix(call.rank + 1);
    this.kernel.schedule(afterMs, call);
  }

  /** The reply arrives: the caller goes on, unless it died or stands still. */
  deliver<Args, Result>(call: Call<Args, Result>): void {
    const stillMs = stillFor(this.kernel, call.life);
    if (stillMs > 0) return this.kernel.schedule(stillMs, call);
    if (call.site.awaited) this.busy--;
    if (call.life.alive && call.answer !== null) call.observe(call.answer);
  }

  #copy<Args, Result>(call: Call<Args, Result>, afterMs: number): void {
    if (call.site.awaited) this.busy++;
    this.kernel.schedule(Math.max(1, afterMs), new Copy(this, call as unknown as Call));
  }

  #span<Args, Result>(call: Call<Args, Result>, label: number, [leastMs, mostMs]: Span): number {
    return leastMs === mostMs ? leastMs : between(draw(this.kernel.seed, label, call.bits, 0), leastMs, mostMs);
  }
}

/** The caller's own time limit. */
class GiveUp implements Entry {
  readonly rank: number;
  cancelled = false;
  instant: Instant | null = null;
  readonly #kernel: Kernel;
  readonly #call: Call;

  constructor(kernel: Kernel, call: Call) {
    this.rank = mix(call.bits + 2);
    this.#kernel = kernel;
    this.#call = call;
  }

  fire(): void {
    const { life, site, args, observed } = this.#call;
    if (!life.alive || observed) return;
    const stillMs = stillFor(this.#kernel, life);
    if (stillMs > 0) this.#kernel.schedule(stillMs, this);
    else this.#call.observe(site.lost(args));
  }
}

/** A late copy of a request, as a client makes that sends again after a reconnect. Nobody hears its answer. */
class Copy implements Entry {
  readonly rank: number;
  cancelled = false;
  instant: Instant | null = null;
  readonly #wire: Wire;
  readonly #call: Call;

  constructor(wire: Wire, call: Call) {
    this.rank = mix(call.bits + 3);
    this.#wire = wire;
    this.#call = call;
  }

  fire(): void {
    const { site, args, life } = this.#call;
    const done = (): void => {
      if (site.awaited) this.#wire.busy--;
    };
    try {
      const result = site.apply(args, life);
      if (result instanceof Promise) result.then(done, done);
      else done();
    } catch {
      done();
    }
  }
}

function stillFor(kernel: Kernel, life: Life): number {
  return life.alive ? life.process.pausedUntil - kernel.now : 0;
}

function realWait(op: string): ReturnType<typeof determinismViolation> {
  return determinismViolation(
    `${op}, after waiting for something real (I/O, a worker thread, a dynamic import),`,
    'ports and pure functions alone',
  );
}
