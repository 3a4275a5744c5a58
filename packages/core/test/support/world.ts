import {
  createNotifier,
  type Alert,
  type AlertSink,
  type ClassPolicy,
  type DeliveryRecord,
  type DeliveryState,
  type NotificationType,
  type Notifier,
  type NotifierConfig,
  type Provider,
  type TelemetryEvent,
  type WorkerOptions,
} from '../../src/index.ts';
import {
  manualClock,
  memoryLedger,
  memoryProvider,
  memoryQueue,
  seededRandom,
  type MailboxItem,
  type ManualClock,
  type MemoryLedger,
  type MemoryProvider,
  type MemoryQueue,
  type ProviderModel,
} from '../../src/memory/index.ts';
import { inTurn, never, tap, type Hook } from './tap.ts';

export interface Order {
  readonly id: string;
  readonly people: number;
}

export interface WorldOptions {
  /** @defaultValue true */
  readonly queue?: boolean;
  /** One provider per model, named p0, p1, ... @defaultValue one keyed provider */
  readonly models?: readonly ProviderModel[];
  /** Overrides of the type `order`: class `transactional`, a route to `p0@example.org`, `p1@...`. */
  readonly order?: Partial<NotificationType<Order>> & Partial<ClassPolicy>;
  readonly worker?: WorkerOptions;
  readonly config?: Partial<NotifierConfig>;
  /** How long keyed providers remember a key, ms. @defaultValue a day */
  readonly windowMs?: number;
  /** How much the ledger can be made to forget, ms. */
  readonly undoMs?: number;
}

type Types = { readonly order: NotificationType<Order> };

/** A worker with its own connections to the world, which may be cut. */
export interface Process {
  readonly notifier: Notifier<Types>;
  /** As SIGKILL: what it asked may still happen, but it hears nothing any more and does nothing any more. */
  kill(): void;
  readonly killed: boolean;
  /** As SIGTERM. */
  stop(): void;
  /** Whether `run` has resolved. */
  readonly ended: boolean;
  readonly healthy: boolean;
  readonly events: readonly TelemetryEvent[];
}

export interface ProcessOptions {
  readonly worker?: WorkerOptions;
  readonly config?: Partial<NotifierConfig>;
  readonly hook?: Hook;
  /** Killed just before the nth call of this name is made, or just after it is carried out. `any port` counts all but the clock's. */
  readonly dies?: { readonly on: string; readonly phase: 'before' | 'after'; readonly nth?: number };
}

export interface World {
  readonly clock: ManualClock;
  readonly ledger: MemoryLedger;
  readonly queue: MemoryQueue | null;
  readonly providers: readonly MemoryProvider[];
  /** Publishes and asks; runs no worker. */
  readonly notifier: Notifier<Types>;
  readonly alerts: readonly Alert[];
  start(options?: ProcessOptions): Process;
  advance(ms: number): Promise<void>;
  /** Lets time pass until it holds. Fails after `withinMs` of it. */
  until(what: string, holds: () => boolean | Promise<boolean>, withinMs?: number): Promise<void>;
  /** Until nothing is left to do: every notification done, every delivery settled. */
  untilDone(withinMs?: number): Promise<void>;
  mailbox(): readonly MailboxItem[];
  deliveries(): Promise<readonly DeliveryRecord[]>;
  states(): Promise<Partial<Record<DeliveryState, number>>>;
}

const START_MS = 1_700_000_000_000;

export function world(options: WorldOptions = {}): World {
  const { models = ['keyed'], order = {} } = options;
  // A macrotask lets every chain of promises run to its end, however long.
  const clock = manualClock(START_MS, { drain: () => new Promise((resolve) => setImmediate(resolve)) });
  const ledger = memoryLedger({ clock, undoMs: options.undoMs ?? 0 });
  const queue = options.queue === false ? null : memoryQueue({ clock });
  const { windowMs = 86_400_000 } = options;
  const providers = models.map((model, i) => memoryProvider({ clock, name: `p${i}`, model, windowMs }));
  const alerts: Alert[] = [];
  const sink: AlertSink = {
    async send(alert) {
      alerts.push(alert);
    },
    async close() {},
  };
  let processes = 0;

  function configOf(hook: Hook, events: TelemetryEvent[], more: Partial<NotifierConfig>): NotifierConfig<Types> {
    processes += 1;
    const preset: NotificationType<Order> = {
      class: 'transactional',
      key: ({ id }) => id,
      route: ({ people }) => Array.from({ length: people }, (_, i) => ({ channel: 'email', to: `p${i}@example.org` })),
      content: ({ id }, { to }) => ({ subject: `Order ${id}`, text: `for ${to}` }),
    };
    return {
      ledger: tap('ledger', ledger, hook),
      ...(queue === null ? {} : { queue: tap('queue', queue, hook) }),
      channels: { email: { providers: providers.map((each): Provider => tap(each.name, each, hook)) } },
      worker: { ...options.worker },
      clock: tap('clock', clock, hook),
      random: seededRandom(processes),
      telemetry: [{ emit: (event) => void events.push(event) }],
      alerts: [sink],
      ...(options.config as Partial<NotifierConfig<Types>>),
      ...(more as Partial<NotifierConfig<Types>>),
      notifications: (more.notifications ?? { order: { ...preset, ...order } }) as Types,
    };
  }

  const through: Hook = (_call, go) => go();
  const self: World = {
    clock,
    ledger,
    queue,
    providers,
    notifier: createNotifier(configOf(through, [], {})),
    alerts,
    start(of = {}) {
      const events: TelemetryEvent[] = [];
      const stopping = new AbortController();
      let killed = false;
      let ended = false;
      let calls = 0;
      const { dies } = of;
      const mortal: Hook = async (call, go) => {
        if (killed) return never;
        if (!call.on.startsWith('clock.')) calls += 1;
        const isIt =
          dies !== undefined &&
          (dies.nth ?? 1) === (dies.on === 'any port' ? calls : dies.on === call.on ? call.nth : 0);
        if (isIt && dies.phase === 'before') killed = true;
        if (killed) return never;
        try {
          return await go();
        } finally {
          if (isIt) killed = true;
          // Neither the answer nor the error is heard.
          if (killed) await never;
        }
      };
      const hook = of.hook === undefined ? mortal : inTurn(mortal, of.hook);
      const notifier = createNotifier(configOf(hook, events, of.config ?? {}));
      const worker = notifier.worker(of.worker ?? {});
      void worker.run({ signal: stopping.signal }).then(() => (ended = true));
      return {
        notifier,
        kill: () => void (killed = true),
        get killed() {
          return killed;
        },
        stop: () => stopping.abort(),
        get ended() {
          return ended;
        },
        get healthy() {
          return worker.healthy();
        },
        events,
      };
    },
    advance: (ms) => clock.advance(ms),
    async until(what, holds, withinMs = 600_000) {
      const end = clock.monotonic() + withinMs;
      for (;;) {
        if (await holds()) return;
        if (clock.monotonic() >= end)
          throw new Error(`not within ${withinMs} ms: ${what}; ${JSON.stringify(await self.notifier.status())}`);
        await clock.advance(100);
      }
    },
    untilDone: (withinMs) =>
      self.until(
        'everything is settled',
        async () => {
          const { deliveries, notifications: n } = await self.notifier.status();
          const open = deliveries.queued + deliveries.processing + deliveries.dispatching;
          return (
            open + deliveries['retry-scheduled'] + deliveries.unknown + n.accepted + n.expanding + n.expanded === 0
          );
        },
        withinMs,
      ),
    mailbox: () => providers.flatMap((provider) => provider.mailbox),
    async deliveries() {
      const { items } = await ledger.list({}, { limit: 1_000_000 });
      return items;
    },
    async states() {
      const counts = Object.entries((await self.notifier.status()).deliveries);
      return Object.fromEntries(counts.filter(([, count]) => count > 0));
    },
  };
  return self;
}
