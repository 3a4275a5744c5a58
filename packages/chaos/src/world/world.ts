import { createNotifier, SendonceError, type ClassPolicy, type NotifierConfig } from '@sendonce/core';
import { FaultNetwork } from '../faults/fault-network.ts';
import type { Limits } from '../faults/kind.ts';
import { opIndex, OPS } from '../faults/ops.ts';
import type { Observer } from '../history.ts';
import { processClock } from '../kernel/clock.ts';
import { hashText } from '../kernel/draw.ts';
import { Kernel, type RunEnd } from '../kernel/kernel.ts';
import { leanMemory } from '../kernel/lean.ts';
import type { Life } from '../kernel/process.ts';
import { Wire, type Striker } from '../kernel/wire.ts';
import type { Fault, SimulationSetup } from '../plan.ts';
import type { SenderFactory } from '../senders/sender.ts';
import type { Workload } from '../workload.ts';
import { providerOutlines } from './capabilities.ts';
import { Crew } from './crew.ts';
import { Emitter } from './emitter.ts';
import { eventBound } from './event-bound.ts';
import { makeHands } from './hands.ts';
import { Healing } from './healing.ts';
import type { Knobs } from './knobs.ts';
import { scheduler } from './later.ts';
import { ledgerSites } from './ledger-sites.ts';
import { limitsOf, policyOf, settleBoundMs } from './limits.ts';
import { Mailbox } from './mailbox.ts';
import { Operator } from './operator.ts';
import { makePorts } from './ports.ts';
import { produce } from './producer.ts';
import { providerSites } from './provider-port.ts';
import { SimulatedProvider, type Arrival, type Send } from './provider.ts';
import { queueSites } from './queue-port.ts';
import { SimulatedQueue } from './queue.ts';
import { Registry } from './registry.ts';
import { Rest } from './rest.ts';
import { Store } from './store.ts';

/** More recipients than this are worth the time that saving memory takes. */
const MANY = 100_000;

export interface WorldOptions {
  readonly setup: SimulationSetup;
  readonly seed: string;
  readonly faults: readonly Fault[];
  readonly workload: Workload;
  readonly knobs: Knobs;
  /** What works in place of the real worker; null: the real worker. */
  readonly sender: SenderFactory | null;
}

/** Everything of one run: the real core over simulated ports, in virtual time. */
export class World {
  readonly options: WorldOptions;
  readonly kernel: Kernel;
  readonly registry: Registry;
  readonly mailbox: Mailbox;
  readonly providers: readonly SimulatedProvider[];
  readonly queue: SimulatedQueue | null;
  readonly store: Store;
  readonly limits: Limits;
  /** Of every type that is sent. */
  readonly policies: readonly ClassPolicy[];
  /** Everything settles within this after the heal point. */
  readonly boundMs: number;
  readonly emitter: Emitter;
  readonly crew: Crew;
  readonly network: FaultNetwork;
  readonly healing: Healing;
  /** When something was last written or sent. */
  lastWorkAt = 0;
  /** Requests that reached a provider. */
  asked = 0;
  readonly #wire: Wire;
  readonly #later: (ms: number, action: () => void) => void;
  readonly #rest: Rest;
  readonly #operator: Operator;
  readonly #configFor: (life: Life, variant: number) => NotifierConfig;
  /** Keeps the memory of a large run small; call it now and then. */
  readonly trim: () => void;
  readonly #observers: Observer[] = [];
  #failure: { readonly error: unknown } | null = null;
  #producers = 0;
  #toFollow = 0;

  /** Makes the world and arms the plan; nothing happens before `run`. */
  constructor(options: WorldOptions) {
    const { setup, workload, knobs, faults } = options;
    this.options = options;
    const kernel = new Kernel(hashText(options.seed));
    const wire = new Wire(kernel);
    const registry = new Registry(workload);
    const emitter = new Emitter(kernel, this.#observers);
    const later = scheduler(kernel);
    this.kernel = kernel;
    this.registry = registry;
    this.mailbox = new Mailbox(registry.size);
    this.trim = registry.size > MANY ? leanMemory() : () => {};
    this.emitter = emitter;
    this.#wire = wire;
    this.#later = later;
    this.providers = this.#makeProviders();
    const capabilities = this.providers.map((provider) => provider.setup.capabilities);
    this.limits = limitsOf(capabilities, knobs);
    this.policies = Object.keys(workload.notifications).map((type) => this.policy(type));
    this.boundMs = settleBoundMs(this.policies, capabilities, knobs);
    this.queue = setup.queue ? new SimulatedQueue(kernel, knobs.visibilityMs) : null;
    this.store = new Store(kernel, knobs, { deliveries: registry.size, undoMs: longestAmnesiaMs(faults, knobs) });
    this.#rest = new Rest(kernel, this.store.ledger);
    this.#configFor = this.#makePorts();
    const configFor = (life: Life): NotifierConfig => this.#configFor(life, 0);
    this.#operator = new Operator({ kernel, emitter, restartMs: knobs.restartMs, configFor, later });
    this.crew = new Crew({
      kernel,
      emitter,
      restartMs: knobs.restartMs,
      later,
      changed: () => this.healing.note(),
      started: (process) => this.network.started(process),
    });
    this.network = new FaultNetwork(faults, {
      wire,
      registry,
      emitter,
      hands: makeHands({
        kernel,
        knobs,
        emitter,
        crew: this.crew,
        store: this.store,
        queue: this.queue,
        operator: this.#operator,
        later,
        follows: (ms, action) => this.#follow(ms, action),
        publishTwice: () => this.#addProducer(),
        limits: this.limits,
      }),
      limits: this.limits,
      workers: setup.workers,
      hasQueue: setup.queue,
      changed: () => {
        this.#rest.disturb();
        this.healing.faultChanged();
      },
    });
    const { store, providers, crew, network } = this;
    this.healing = new Healing({ kernel, knobs, emitter, store, providers, crew, network });
  }

  /** Shows each call as it is requested, before any fault strikes it. */
  watchCalls(look: Striker, ops: readonly string[] = OPS): void {
    const { strikers } = this.#wire;
    for (const op of ops) {
      const index = opIndex(op);
      const earlier = strikers[index];
      strikers[index] = (call) => {
        look(call);
        earlier?.(call);
      };
    }
  }

  /** Runs to the end, or until `isAborted`, asked now and then, says so. Call it once. */
  async run(observers: readonly Observer[], isAborted: () => boolean = () => false): Promise<RunEnd> {
    const { knobs, setup } = this.options;
    const { policies } = this;
    const mostEvents = eventBound({ knobs, workers: setup.workers, queue: setup.queue, policies });
    this.#observers.push(...observers);
    this.network.announce();
    this.#later(this.healing.lastFaultMs, () => this.healing.lastFault());
    this.#addProcesses();
    const end = await this.kernel.run({
      until: () => this.#failure !== null || this.#isOver(),
      // The heal point comes: whatever fires has a length.
      lastMs: () => (this.healing.at ?? Infinity) + this.boundMs,
      mostEvents: () => mostEvents(this.kernel.now, this.registry.size),
      afterInstant: this.trim,
      isAborted,
    });
    // Thrown as it came: the user's own types may be what failed.
    if (this.#failure !== null) throw this.#failure.error;
    this.healing.heal();
    for (const provider of this.providers) provider.retire();
    return end;
  }

  policy(type: string): ClassPolicy {
    const { notifications, config } = this.options.workload;
    const found = notifications[type];
    if (found === undefined) throw new SendonceError('TYPE_UNKNOWN', `'${type}' is not a notification type`);
    return policyOf(found, config?.classes);
  }

  #makeProviders(): readonly SimulatedProvider[] {
    const { setup, workload, knobs } = this.options;
    const { kernel, mailbox, registry } = this;
    const outlines = providerOutlines(workload.config, workload.channels, setup.provider, knobs);
    return outlines.map(
      (outline, index) =>
        new SimulatedProvider({
          ...outline,
          index,
          seed: kernel.seed,
          mailbox,
          now: () => kernel.now,
          slotOf: (named, to) => registry.slotOfMessage(named, to),
          isFirst: (deliveryId, slot) => slot >= 0 && registry.firstSlotOf(deliveryId) === slot,
        }),
    );
  }

  #makePorts(): (life: Life, variant: number) => NotifierConfig {
    const { setup, workload, knobs } = this.options;
    const { kernel, registry, emitter, store, queue, providers } = this;
    const onIdle = (): void => this.#lookForRest();
    const onWork = (): void => this.#worked();
    return makePorts({
      wire: this.#wire,
      knobs,
      concurrency: setup.concurrency,
      workload,
      registry,
      providers,
      queue,
      ledgerSites: ledgerSites({ store, kernel, knobs, emitter, registry, onIdle, onWork }),
      queueSites: queue === null ? null : queueSites({ kernel, queue, knobs, emitter }),
      providerSites: providerSites({
        kernel,
        knobs,
        registry,
        arrived: (send, arrival, life) => this.#arrived(send, arrival, life),
        asked: ({ provider, request }, { process }) =>
          emitter.tell(process.name, { kind: 'lookup', provider: provider.name, deliveryId: request.deliveryId }),
      }),
    });
  }

  #addProcesses(): void {
    const { setup, workload } = this.options;
    if (workload.publications > 0) this.#addProducer();
    for (let n = 1; n <= setup.workers; n++)
      this.crew.add(`w${n}`, 'worker', (life, signal, variant) => this.#work(life, signal, variant));
  }

  #work(life: Life, signal: AbortSignal, variant: number): Promise<void> {
    const config = this.#configFor(life, variant);
    const options = { ...config.worker, name: life.process.name };
    const { sender } = this.options;
    const worker = sender === null ? createNotifier(config).worker(options) : sender(config, options);
    return worker.run({ signal });
  }

  #addProducer(): void {
    const { workload, knobs } = this.options;
    const name = this.#producers++ === 0 ? 'producer' : `producer${this.#producers}`;
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

  // ---- what happens ----------------------------------------------------------------------------------------------------------

  #arrived(send: Send, arrival: Arrival | null, life: Life): void {
    this.#worked();
    this.asked += 1;
    if (arrival === null) return;
    if (this.emitter.isHeard) this.#tellArrival(send, arrival, life);
    if (arrival.what === 'accepted') this.network.acceptances.accepted(send, life.process);
  }

  #tellArrival({ provider, message, context }: Send, arrival: Arrival, { process }: Life): void {
    this.emitter.emit({
      at: this.kernel.now,
      process: process.name,
      kind: 'provider',
      provider: provider.name,
      deliveryId: message.deliveryId,
      attempt: context.attempt,
      key: context.key,
      channel: provider.setup.channel,
      to: message.to,
      body: arrival.bodyHash.toString(36),
      outcome: arrival.what,
      ...(arrival.refusal && { refusal: arrival.refusal }),
      providerMessageId: arrival.providerMessageId,
      reply: arrival.reply,
    });
  }

  #worked(): void {
    this.lastWorkAt = this.kernel.now;
    this.#rest.disturb();
  }

  // ---- how it ends -----------------------------------------------------------------------------------------------------------

  #lookForRest(): void {
    if (this.#wire.busy === 0 && !this.crew.isProducing) this.#rest.look();
  }

  #isOver(): boolean {
    if (!this.#rest.isNow || this.#wire.busy > 0 || this.crew.isProducing || this.#operator.isBusy) return false;
    return this.#toFollow === 0 && (this.queue === null || this.queue.depth === 0);
  }

  /** What a fault still has in store, when all the rest has come to an end. */
  #follow(ms: number, action: () => void): void {
    this.#toFollow++;
    this.#later(ms, () => {
      this.#toFollow--;
      action();
    });
  }
}

/** How far back the store has to be able to forget; 0: it never does. An eviction takes no time, and needs the frozen pages all the same. */
function longestAmnesiaMs(faults: readonly Fault[], { leaseMs }: Knobs): number {
  const lengths = faults.map((fault) =>
    fault.do === 'amnesia' ? (fault.ms ?? leaseMs) : fault.do === 'evicted' ? 1 : 0,
  );
  return Math.max(0, ...lengths);
}
