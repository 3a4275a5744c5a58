import { SendonceError, type Ledger, type NotifierConfig } from '@sendonce/core';
import type { Publication } from '../workload.ts';
import { startChild, type Child } from './child.ts';
import { Crew } from './crew.ts';
import { exitWords } from './exit-words.ts';
import type { ExplainedKill, RealEnd } from './facts.ts';
import type { Announcement } from './gate.ts';
import { harnessFailed } from './harness-failed.ts';
import { HeldAnswers } from './held-answers.ts';
import type { Held, ProviderNews, ProviderOrders, Release, WorkOrders } from './orders.ts';
import { pause } from './pause.ts';
import type { Patience } from './patience.ts';
import { publish } from './publish.ts';
import type { RealPlan } from './split-plan.ts';
import { ServerStrikes } from './server-strikes.ts';
import { Strikes, type CountedStrike, type Strike } from './strikes.ts';
import type { ServerFaults } from './types.ts';
import { watch } from './watch.ts';

/** How long processes may take to end by themselves once all is done. */
const STOP_MS = 5_000;

/** Within this of each other, signals to several processes are one. */
const ENDED_TOGETHER_MS = 300;

export interface SupervisorParts {
  readonly entries: { readonly worker: URL; readonly provider: URL };
  readonly folder: string;
  /** Throws where the run itself has no room left to write. */
  readonly checkRoom: () => void;
  readonly plan: RealPlan;
  readonly faults: number;
  readonly serverFaults: ServerFaults;
  readonly workers: number;
  readonly hasQueue: boolean;
  readonly ledger: Ledger;
  readonly now: () => number;
  readonly speed: number;
  readonly patience: Patience;
  readonly providerOrders: ProviderOrders;
  readonly workOrders: Omit<WorkOrders, 'name' | 'port' | 'gate'>;
  /** The producer's config, once it is known where the provider listens. */
  readonly configAt: (port: number) => NotifierConfig;
  readonly publication: Publication;
  readonly onSettled: (settled: number) => void;
  readonly signal: AbortSignal;
}

/** Starts the processes of a run, strikes them as the plan says, and waits for the end. Use it once; `end` leaves nobody behind. */
export class Supervisor {
  readonly fired: boolean[];
  readonly kills: ExplainedKill[] = [];
  /** Kills that were addressed by a count, as they turned out. */
  readonly counted: { readonly at: number; readonly worker: string; readonly phase: string }[] = [];
  readonly servers: ServerStrikes;
  readonly #parts: SupervisorParts;
  readonly #strikes: Strikes;
  readonly #crew: Crew;
  readonly #heldAnswers: HeldAnswers;
  #provider: Child | null = null;
  #port = 0;
  #config: NotifierConfig | null = null;
  #striking = 0;
  #failure: { readonly error: unknown } | null = null;

  constructor(parts: SupervisorParts) {
    const { entries, folder, plan, now, hasQueue } = parts;
    this.#parts = parts;
    this.fired = Array.from({ length: parts.faults }, () => false);
    this.#strikes = new Strikes({ ...plan, hasQueue });
    this.#heldAnswers = new HeldAnswers(plan.counted);
    this.servers = new ServerStrikes({
      serverFaults: parts.serverFaults,
      now,
      publishAgain: async () => {
        if (this.#config !== null) await publish(this.#config, parts);
      },
    });
    this.#crew = new Crew({
      entry: entries.worker,
      folder,
      strikes: this.#strikes,
      now,
      ordersFor: (name, gate) => ({ ...parts.workOrders, name, port: this.#port, gate }),
      announced: (worker, announcement) => this.#announced(worker, announcement),
    });
  }

  get crashes(): Crew['crashes'] {
    return this.#crew.crashes;
  }

  /** From the first process to the moment at which nothing is left to do, or nobody will do it. Who is to stop blames nobody. */
  async run(): Promise<RealEnd> {
    const { signal } = this.#parts;
    if (signal.aborted) return 'interrupted';
    try {
      // A process that is still loading is not waited for: on a busy machine that takes longer than anybody waits for an end.
      return await Promise.race([this.#run(), whenAborted(signal)]);
    } catch (error) {
      if (signal.aborted) return 'interrupted';
      throw error;
    }
  }

  async #run(): Promise<RealEnd> {
    const { workers, configAt, signal } = this.#parts;
    this.#port = await this.#startProvider();
    if (signal.aborted) return 'interrupted';
    const config = configAt(this.#port);
    this.#config = config;
    for (let n = 1; n <= workers; n++) this.#crew.start(`w${n}`);
    let isPublished = false;
    publish(config, this.#parts).then(
      () => (isPublished = true),
      (error: unknown) => (this.#failure ??= { error }),
    );
    return watch({
      ...this.#parts,
      mailbox: this.#parts.providerOrders.mailbox,
      checkOthers: () => this.#checkOthers(),
      isPublished: () => isPublished,
      isQuiet: () => this.#striking === 0,
      isComplete: () => this.#crew.isComplete,
      mayBeAway: () => this.servers.mayLedgerBeAway,
      // A queue that does not answer is waited for as one that is not empty. Where its process died, the end of that process tells.
      depth: async () => (await config.queue?.depth().catch(() => Infinity)) ?? 0,
    });
  }

  /** Ends every process: workers finish what is on its way, unless somebody is in a hurry. */
  async end({ gently }: { readonly gently: boolean }): Promise<void> {
    await (gently ? this.#crew.stopAll(STOP_MS) : this.#crew.killAll());
    const provider = this.#provider;
    this.#provider = null;
    provider?.signal(gently ? 'SIGTERM' : 'SIGKILL');
    await provider?.ended;
  }

  /** SIGKILL to everybody, for when this process ends without waiting for anything. */
  abandon(): void {
    this.#crew.abandon();
    this.#provider?.signal('SIGKILL');
  }

  async #startProvider(): Promise<number> {
    const { entries, providerOrders } = this.#parts;
    const provider = startChild(entries.provider, providerOrders);
    this.#provider = provider;
    const listening = new Promise<number>((resolve) => {
      provider.onMessage((message) => {
        const news = message as ProviderNews;
        if (news.kind === 'listening') resolve(news.port);
        else if (news.kind === 'fired') this.fired[news.index] = true;
        else this.#strike(this.#held(news));
      });
    });
    const died = provider.ended.then(async ({ tail, ...exit }): Promise<never> => {
      // Whoever ends it may be about to end us as well, as a container is stopped: then nothing broke by itself.
      await pause(ENDED_TOGETHER_MS, this.#parts.signal);
      const error = harnessFailed(`the process of the fake provider ended by itself with ${exitWords(exit)}`, tail);
      if (this.#provider === provider && !this.#parts.signal.aborted) this.#failure ??= { error };
      throw error;
    });
    died.catch(() => {});
    return Promise.race([listening, died]);
  }

  /** A message was taken, and its answer waits for us. */
  async #held({ acceptance, worker, pid, deliveryId }: Held): Promise<void> {
    for (const strike of this.servers.at(acceptance)) this.#strike(strike);
    const release = (answer: boolean, another = false): void => {
      const message: Release = { kind: 'release', acceptance, answer, another };
      this.#provider?.send(message);
    };
    const decision = this.#heldAnswers.decide({ acceptance }, this.#crew.isRunning(worker, pid));
    switch (decision.kind) {
      case 'answer':
        return release(true);
      case 'another':
        return release(false, true);
      case 'answer-then-strike':
        this.#strikes.accepted(decision.counted.acceptance, deliveryId);
        return release(true);
      case 'kill': {
        const { ms, index, moment } = decision.counted;
        await this.#kill(worker, this.#hostMs(ms), index, `acceptance ${acceptance}, ${moment}`);
        this.counted.push({ at: acceptance, worker, phase: moment });
        return release(false);
      }
    }
  }

  #announced(worker: string, announcement: Announcement): void {
    const decision = this.#strikes.decide(worker, announcement);
    if (decision.kind === 'answer') this.#crew.answer(worker, decision.answer);
    else if (decision.kind === 'strike') this.#strike(this.#carryOut(worker, decision.strike));
    else this.#strike(this.#killCounted(worker, decision.counted));
  }

  async #killCounted(worker: string, { index, acceptance, moment, ms }: CountedStrike): Promise<void> {
    this.counted.push({ at: acceptance, worker, phase: moment });
    await this.#kill(worker, this.#hostMs(ms), index, `acceptance ${acceptance}, ${moment}`);
  }

  /** Of a worker that stands at its point. */
  async #carryOut(worker: string, { index, do: what, op, phase, ms, amount }: Strike): Promise<void> {
    const hostMs = this.#hostMs(ms);
    const why = `${op} ${phase}`;
    this.fired[index] = true;
    switch (what) {
      case 'kill':
      case 'kill-mid-batch':
      case 'poison':
        return this.#kill(worker, hostMs, index, why);
      case 'gone':
        return this.#kill(worker, null, index, `${why}, for good`);
      case 'kill-loop':
        this.#crew.doom(worker, amount - 1, hostMs);
        return this.#kill(worker, hostMs, index, why);
      case 'pause':
        this.#crew.pause(worker, hostMs);
        return this.#crew.answer(worker, { kind: 'go' });
      case 'stop':
        this.#crew.answer(worker, { kind: 'go' });
        return this.#crew.stop(worker, hostMs);
    }
  }

  async #kill(worker: string, backAfterMs: number | null, index: number, why: string): Promise<void> {
    const kill = await this.#crew.kill(worker, backAfterMs);
    if (kill === null) return;
    this.fired[index] = true;
    this.kills.push({ ...kill, why });
  }

  #hostMs(ms: number): number {
    return ms / this.#parts.speed;
  }

  #strike(under: Promise<void>): void {
    this.#striking += 1;
    under.catch((error: unknown) => (this.#failure ??= { error })).finally(() => (this.#striking -= 1));
  }

  /** What broke the run meanwhile, or that nobody is left to work and nobody will be. */
  #checkOthers(): void {
    if (this.#failure !== null) throw this.#failure.error;
    const last = this.crashes.at(-1);
    if (last === undefined || this.#crew.size > 0 || !this.#crew.isComplete) return;
    throw new SendonceError(
      'LEDGER_UNAVAILABLE',
      `every worker process ended by itself; the last, ${last.worker}, with ${exitWords(last)}: ${last.tail}`,
    );
  }
}

function whenAborted(signal: AbortSignal): Promise<'interrupted'> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('interrupted'), { once: true }));
}
