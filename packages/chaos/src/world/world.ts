import {
  createNotifier,
  DELIVERY_CLASSES,
  isSettled,
  SendonceError,
  type ClassPolicy,
  type Counts,
  type DeliveryState,
  type NotifierConfig,
  type Provider,
  type WorkerOptions,
} from '@sendonce/core';
import { memoryLedger, type MemoryLedger } from '@sendonce/core/memory';
import { FaultNetwork } from '../faults/fault-network.ts';
import type { Hands, Limits } from '../faults/kind.ts';
import { opIndex, OPS } from '../faults/ops.ts';
import type { Call } from '../kernel/call.ts';
import type { Observer } from '../history.ts';
import { processClock, storeClock } from '../kernel/clock.ts';
import { draw, hashText, unit } from '../kernel/draw.ts';
import { Kernel, type RunEnd } from '../kernel/kernel.ts';
import type { Life, Process } from '../kernel/process.ts';
import { partitionOf, type Peer } from '../kernel/process.ts';
import { processRandom } from '../kernel/random.ts';
import { Wire } from '../kernel/wire.ts';
import type { Fault, SimulationSetup } from '../plan.ts';
import type { SenderFactory } from '../senders/sender.ts';
import type { Workload } from '../workload.ts';
import { providerOutlines } from './capabilities.ts';
import { Crew } from './crew.ts';
import { Emitter } from './emitter.ts';
import type { Knobs } from './knobs.ts';
import { scheduler } from './later.ts';
import { ledgerPort } from './ledger-port.ts';
import { ledgerSites, type LedgerSites } from './ledger-sites.ts';
import { limitsOf, policyOf, settleBoundMs } from './limits.ts';
import { Mailbox } from './mailbox.ts';
import { Operator } from './operator.ts';
import { Paths } from './paths.ts';
import { produce } from './producer.ts';
import { SimulatedProvider, type Arrival, type Send } from './provider.ts';
import { providerPort, providerSites, type ProviderSites } from './provider-port.ts';
import { queuePort, queueSites, type QueueSites } from './queue-port.ts';
import { SimulatedQueue } from './queue.ts';
import { Registry } from './registry.ts';
import { variantOf } from './variants.ts';

const DROP = hashText('drop');
const FEW = 50_000;
const NEVER_MS = 1e12;
/** Without faults the heal point is at the start, once all processes have begun. */
const HEAL_AT_ONCE_MS = 10;

export interface WorldOptions {
  readonly setup: SimulationSetup;
  readonly seed: string;
  readonly faults: readonly Fault[];
  readonly workload: Workload;
  readonly knobs: Knobs;
  /** Share of sends, 0 to 1, that are accepted and whose reply is lost. */
  readonly dropReplies: number;
  /** What works in place of the real worker; null: the real worker. */
  readonly sender: SenderFactory | null;
}

/** Everything of one run: the real core over simulated ports, in virtual time. */
export class World {
  readonly options: WorldOptions;
  readonly kernel: Kernel;
  readonly registry: Registry;
  readonly mailbox = new Mailbox();
  readonly providers: readonly SimulatedProvider[];
  readonly ledger: MemoryLedger;
  readonly queue: SimulatedQueue | null;
  readonly limits: Limits;
  /** Everything settles within this after the heal point. */
  readonly boundMs: number;
  readonly paths = new Paths();
  /** Null until the heal point. */
  healedAt: number | null = null;
  /** When something was last written or sent. */
  lastWorkAt = 0;
  /** Fault-free sends whose reply was lost by `dropReplies`. */
  dropped = 0;
  crew!: Crew;
  network!: FaultNetwork;
  emitter!: Emitter;
  operator!: Operator;
  #wire: Wire;
  #later: (ms: number, action: () => void) => void;
  #ledgerSites!: LedgerSites;
  #queueSites: QueueSites | null = null;
  #providerSites!: ProviderSites;
  readonly #sends: number[] = [];
  #ledgerDownUntil = 0;
  #settledAt = -1;
  /** When a producer was last promised something. */
  #producedAt = 0;
  #failure: { readonly error: unknown } | null = null;
  #twins = 0;

  constructor(options: WorldOptions) {
    const { setup, workload, knobs } = options;
    if (!(DELIVERY_CLASSES as readonly string[]).includes(setup.class))
      throw new SendonceError(
        'PLAN_INVALID',
        `setup.class must be one of ${DELIVERY_CLASSES.join(', ')}, got ${setup.class}`,
      );
    this.options = options;
    this.kernel = new Kernel(hashText(options.seed));
    this.#wire = new Wire(this.kernel);
    this.#later = scheduler(this.kernel);
    this.registry = new Registry(workload);
    this.providers = this.#makeProviders();
    const capabilities = this.providers.map((provider) => provider.setup.capabilities);
    this.limits = limitsOf(capabilities, knobs);
    this.boundMs = settleBoundMs(this.#policies(), capabilities, knobs);
    this.queue = setup.queue ? new SimulatedQueue(this.kernel, knobs.visibilityMs) : null;
    this.ledger = memoryLedger({
      clock: storeClock(this.kernel),
      journal: false,
      undoMs: undoMs(options, this.limits),
      // Compact records save memory and cost time: worth it only where there are many.
      ...(this.registry.size > FEW ? {} : { compactAfterMs: NEVER_MS }),
    });
  }

  /** The recipient numbers' upper bound, plus one. */
  get highest(): number {
    const { known, publications } = this.options.workload;
    if (known === null) return publications * 100;
    return known.numbers.reduce((most, number) => Math.max(most, number), -1) + 1;
  }

  /** Shows every call of a port, as it is requested. */
  watchCalls(look: (call: Call) => void): void {
    const { strikers } = this.#wire;
    for (let index = 0; index < OPS.length; index++) {
      const earlier = strikers[index];
      strikers[index] = (call) => {
        look(call);
        earlier?.(call);
      };
    }
  }

  /** Runs to the end. Call it once. */
  async run(): Promise<RunEnd> {
    const { knobs } = this.options;
    const end = await this.kernel.run({
      until: () => this.#failure !== null || this.#isOver(),
      lastMs: () => (this.healedAt ?? knobs.healMs) + this.boundMs,
      maxEvents: knobs.maxEvents,
    });
    // Thrown as it came: the user's own types may be what failed.
    if (this.#failure !== null) throw this.#failure.error;
    if (this.healedAt === null) this.heal();
    return end;
  }

  policy(type: string): ClassPolicy {
    const { workload } = this.options;
    const found = workload.notifications[type];
    if (found === undefined) throw new Error(`no type ${type}`);
    return policyOf(found, workload.config?.classes);
  }

  /** No fault fires from now on, and what still lasts is over. */
  heal(): void {
    this.healedAt = this.kernel.now;
    this.network.heal();
    this.#ledgerDownUntil = 0;
    for (const provider of this.providers) provider.heal();
    for (const { process } of this.crew.members) process.partitionedFrom.clear();
    this.emitter.tell('plan', { kind: 'heal' });
    this.#breakForGood();
    this.changed();
  }

  /** Something began or ended that a path depends on. */
  readonly changed = (): void => this.paths.note(this.kernel.now, this.#hasPath());

  /** Arms the plan and adds the processes. Call it once, before `run`. */
  open(observers: readonly Observer[]): void {
    const { setup, knobs, faults, workload } = this.options;
    const { kernel, registry } = this;
    this.emitter = new Emitter(kernel, observers);
    this.#ledgerSites = ledgerSites({
      ledger: this.ledger,
      kernel,
      knobs,
      emitter: this.emitter,
      registry,
      downUntil: () => this.#ledgerDownUntil,
      onIdle: () => this.#lookAround(),
      onWork: () => this.#worked(),
      onProduced: () => void (this.#producedAt = this.kernel.now),
    });
    if (this.queue !== null) this.#queueSites = queueSites(this.queue, knobs, this.emitter);
    this.#providerSites = providerSites({
      kernel,
      knobs,
      registry,
      arrived: (send, arrival, life) => this.#arrived(send, arrival, life),
    });
    this.crew = new Crew({
      kernel,
      emitter: this.emitter,
      restartMs: knobs.restartMs,
      later: this.#later,
      changed: this.changed,
      started: (process) => this.network.started(process),
    });
    const configFor = (life: Life): NotifierConfig => this.#configFor(life, 0);
    this.operator = new Operator({
      kernel,
      emitter: this.emitter,
      restartMs: knobs.restartMs,
      configFor,
      later: this.#later,
    });
    this.network = new FaultNetwork(faults, {
      wire: this.#wire,
      registry,
      emitter: this.emitter,
      hands: this.#hands(),
      limits: this.limits,
      hasQueue: setup.queue,
      changed: () => this.#faultChanged(),
    });
    if (this.options.dropReplies > 0) this.#dropReplies();
    this.#later(faults.length === 0 ? HEAL_AT_ONCE_MS : knobs.healMs, () => {
      if (this.healedAt === null) this.heal();
    });
    if (workload.publications > 0) this.#addProducer('producer');
    for (let n = 1; n <= setup.workers; n++)
      this.crew.add(`w${n}`, 'worker', (life, signal, variant) => this.#work(life, signal, variant));
  }

  #makeProviders(): readonly SimulatedProvider[] {
    const { setup, workload, knobs } = this.options;
    const { kernel, mailbox, registry } = this;
    return providerOutlines(workload.config, workload.channels, setup.provider, knobs).map(
      (outline, index) =>
        new SimulatedProvider({
          ...outline,
          index,
          seed: kernel.seed,
          mailbox,
          now: () => kernel.now,
          slotOf: (named, to) => registry.slotOfMessage(named, to),
        }),
    );
  }

  #policies(): readonly ClassPolicy[] {
    return Object.keys(this.options.workload.notifications).map((type) => this.policy(type));
  }

  #configFor(life: Life, variant: number): NotifierConfig {
    const { workload } = this.options;
    const { kernel } = this;
    const parts = { wire: this.#wire, sites: this.#providerSites, registry: this.registry, sends: this.#sends };
    const channels = Object.fromEntries(
      workload.channels.map((channel): [string, { providers: Provider[] }] => {
        const ofChannel = this.providers.filter((provider) => provider.setup.channel === channel);
        return [channel, { providers: ofChannel.map((provider) => providerPort(life, provider, parts)) }];
      }),
    );
    const { queue } = this;
    const config: NotifierConfig = {
      ledger: ledgerPort(this.#wire, life, this.#ledgerSites, this.registry),
      ...(queue === null || this.#queueSites === null
        ? {}
        : { queue: queuePort(this.#wire, life, this.#queueSites, queue, this.options.knobs) }),
      channels,
      notifications: workload.notifications,
      ...(workload.config?.classes === undefined ? {} : { classes: workload.config.classes }),
      ...(workload.config?.deadLetterRetry === undefined ? {} : { deadLetterRetry: workload.config.deadLetterRetry }),
      worker: workerOptions(this.options.knobs, this.options.setup.concurrency),
      clock: processClock(kernel, life),
      random: processRandom(kernel, life),
    };
    return variantOf(config, variant);
  }

  #work(life: Life, signal: AbortSignal, variant: number): Promise<void> {
    const config = this.#configFor(life, variant);
    const options = { ...config.worker, name: life.process.name };
    const { sender } = this.options;
    const worker = sender === null ? createNotifier(config).worker(options) : sender(config, options);
    return worker.run({ signal });
  }

  #addProducer(name: string): void {
    const { workload, knobs } = this.options;
    this.crew.add(name, 'producer', async (life) => {
      const config = this.#configFor(life, 0);
      const clock = processClock(this.kernel, life);
      try {
        await produce({ config, clock, workload, registry: this.registry, retryMs: knobs.producerRetryMs });
      } catch (error) {
        this.#failure ??= { error };
      }
    });
  }

  // ---- what happens ---------------------------------------------------------------------------------------------------------

  #arrived(send: Send, arrival: Arrival | null, life: Life): void {
    this.#worked();
    if (arrival === null) return;
    const { provider, message, context } = send;
    if (this.emitter.isHeard)
      this.emitter.emit({
        at: this.kernel.now,
        process: life.process.name,
        kind: 'provider',
        provider: provider.name,
        deliveryId: message.deliveryId,
        attempt: context.attempt,
        key: context.key,
        to: message.to,
        body: arrival.bodyHash.toString(36),
        outcome: arrival.what,
        providerMessageId: arrival.providerMessageId,
        reply: arrival.reply,
      });
    if (arrival.what === 'accepted') this.network.acceptances.accepted(send, life.process);
  }

  #worked(): void {
    this.lastWorkAt = this.kernel.now;
  }

  /** Somebody asked for work: perhaps there is none left. */
  #lookAround(): void {
    if (this.#wire.busy > 0 || this.crew.isProducing) return;
    void this.ledger.count().then((counts) => {
      if (isAtRest(counts)) this.#settledAt = this.kernel.now;
    });
  }

  #isOver(): boolean {
    return (
      this.#settledAt === this.kernel.now &&
      this.#wire.busy === 0 &&
      !this.crew.isProducing &&
      !this.operator.isBusy &&
      (this.queue === null || this.queue.depth === 0)
    );
  }

  #faultChanged(): void {
    this.changed();
    if (this.healedAt === null && this.network.isSpent) this.heal();
  }

  #hasPath(): boolean {
    const { now } = this.kernel;
    if (now < this.#ledgerDownUntil) return false;
    if (this.providers.every((provider) => now < provider.downUntil)) return false;
    return this.crew.workers.some(
      ({ process }) =>
        process.life !== null && process.pausedUntil <= now && partitionOf(process, 'ledger', now) === null,
    );
  }

  /** Only a few workers stay alive; who they are is drawn. */
  #breakForGood(): void {
    const { survivors } = this.options.knobs;
    if (survivors === 0) return;
    const { seed } = this.kernel;
    const drawn = [...this.crew.workers].sort(
      (a, b) => draw(seed, DROP, a.process.hash, 1) - draw(seed, DROP, b.process.hash, 1),
    );
    for (const { process } of drawn.slice(survivors)) this.crew.kill(process, 'broken for ever', null);
  }

  #dropReplies(): void {
    const { strikers } = this.#wire;
    const index = opIndex('provider.send');
    const earlier = strikers[index];
    strikers[index] = (call) => {
      earlier?.(call);
      if (unit(draw(this.kernel.seed, DROP, call.bits, 0)) >= this.options.dropReplies) return;
      call.addAfter((applied) => {
        applied.replyLost = true;
        this.dropped++;
      });
    };
  }

  // ---- what faults can do ---------------------------------------------------------------------------------------------------

  #hands(): Hands {
    const { crew, kernel } = this;
    const later = this.#later;
    return {
      knobs: this.options.knobs,
      queue: this.queue,
      later,
      kill: (process, why, backAfterMs) => crew.kill(process, why, backAfterMs),
      pause: (process, ms) => crew.pause(process, ms),
      stop: (process, ms) => crew.stop(process, ms),
      deploy: (everyMs) => this.#deploy(everyMs),
      restartWith: (process, variant, ms) => this.#restartWith(process, variant, ms),
      cutOff: (process, peer, ways, ms) => this.#cutOff(process, peer, ways, ms),
      ledgerDown: (ms) => void (this.#ledgerDownUntil = Math.max(this.#ledgerDownUntil, kernel.now + ms)),
      loseMemory: (lastMs, evict) => this.#loseMemory(lastMs, evict),
      wipeQueue: () => this.#wipeQueue(),
      skew: (process, ms) => void (process.skewMs = ms),
      operate: (action, deliveryId) => this.operator.operate(action, deliveryId),
      publishTwice: () => this.#addProducer(`producer${++this.#twins + 1}`),
      bounce: (send, providerMessageId, ms) => later(ms, () => void this.operator.bounced(send, providerMessageId)),
      draw: (label, n) => draw(kernel.seed, hashText(label), kernel.now, n),
    };
  }

  #deploy(everyMs: number): void {
    const { graceMs } = this.options.knobs;
    this.crew.workers.forEach(({ process }, at) =>
      this.#later(at * everyMs, () => this.crew.stop(process, graceMs + 1_000)),
    );
  }

  #restartWith(process: Process, variant: number, ms: number): void {
    const member = this.crew.memberOf(process);
    if (member === undefined) return;
    member.variant = variant;
    this.crew.kill(process, 'restarted with another config', 1);
    this.#later(ms, () => {
      member.variant = 0;
      this.crew.kill(process, 'restarted with its own config', 1);
    });
  }

  #cutOff(process: Process | null, peer: Peer, ways: 'both' | 'replies', ms: number): void {
    const until = this.kernel.now + ms;
    const whom = process === null ? this.crew.members.map((member) => member.process) : [process];
    for (const each of whom) each.partitionedFrom.set(peer, { ways, until });
  }

  #loseMemory(lastMs: number, evict: readonly string[]): void {
    const { dispatchMs, visibilityMs } = this.options.knobs;
    // A store that forgets what it told a producer has lost it: no protocol brings that back, so accepting is taken to be synchronous.
    const sinceProducedMs = Math.max(0, this.kernel.now - this.#producedAt - 1);
    const quarantineMs = dispatchMs + visibilityMs;
    const report = this.ledger.control.loseMemory({ lastMs: Math.min(lastMs, sinceProducedMs), evict, quarantineMs });
    this.emitter.tell('ledger', { kind: 'epoch', ...report });
  }

  #wipeQueue(): void {
    if (this.queue === null) return;
    this.queue.wipe();
    this.emitter.tell('queue', { kind: 'queue', op: 'wiped', id: '', receipt: null });
  }
}

function isAtRest({ deliveries, notifications, unsealed }: Counts): boolean {
  const { accepted, expanding, expanded } = notifications;
  if (accepted > unsealed || expanding > 0 || expanded > 0) return false;
  return Object.entries(deliveries).every(([state, count]) => count === 0 || isSettled(state as DeliveryState));
}

/** Keeping what an amnesia needs costs memory, so it is kept only for plans that have one. */
function undoMs({ faults }: WorldOptions, { knobs }: Limits): number {
  return faults.some((fault) => fault.do === 'amnesia')
    ? Math.max(knobs.leaseMs, ...faults.map(({ ms }) => ms ?? 0))
    : 0;
}

function workerOptions(knobs: Knobs, concurrency: number): WorkerOptions {
  const {
    batch,
    leaseMs,
    dispatchMs,
    sendMarginMs,
    keyMarginMs,
    pollMs,
    waitMs,
    sweepMs,
    lateMs,
    strayAfterMs,
    page,
    graceMs,
    noProgressMs,
  } = knobs;
  return {
    concurrency,
    batch,
    leaseMs,
    dispatchMs,
    sendMarginMs,
    keyMarginMs,
    pollMs,
    waitMs,
    sweepMs,
    lateMs,
    strayAfterMs,
    chunk: page,
    graceMs,
    noProgressMs,
  };
}
