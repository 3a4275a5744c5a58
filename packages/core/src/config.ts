import type { Channel, DeliveryClass } from './model/classes.ts';
import type { MessageContent } from './model/delivery.ts';
import type { Target, TargetInput } from './model/recipient.ts';
import type { ClassPolicy } from './policy/policy.ts';
import type { PruningOptions } from './policy/pruning.ts';
import type { AddressRule } from './ports/addresses.ts';
import type { Clock, Random } from './ports/clock.ts';
import type { Destinations } from './ports/destinations.ts';
import type { Ledger } from './ports/ledger.ts';
import type { Provider } from './ports/provider.ts';
import type { Queue } from './ports/queue.ts';
import type { AlertSink, Telemetry } from './ports/telemetry.ts';
import type { StandardSchema } from './schema.ts';

export type Awaitable<T> = T | Promise<T>;
export type Targets = Iterable<TargetInput> | AsyncIterable<TargetInput>;

/** What a `content` function may look at beside the data. */
export interface ContentContext {
  readonly deliveryId: string;
  readonly generation: number;
}

/** One kind of notification: the only place with business rules. */
export interface NotificationType<Data = unknown> extends Partial<ClassPolicy> {
  readonly class: DeliveryClass;
  /** Any Standard Schema: the data are typed by it and checked before they are accepted. */
  readonly schema?: StandardSchema;
  /** The producer's key for this data; else `publish` needs `key`. */
  readonly key?: (data: Data) => string;
  /** Who gets it, and where. Runs in a worker, may run again after a crash until its result is sealed. Absent: recipients come with `publish`. */
  readonly route?: (data: Data) => Awaitable<Targets>;
  /**
   * The neutral message for one target. Must make the same content again from the same data. Calls that take their time overlap, so
   * keep nothing between them: return objects made for this call, or frozen ones. If it returns one that it keeps, it is asked for one
   * message at a time; what it keeps and does not return (a template's global locale) nobody can see.
   */
  readonly content: (data: Data, target: Target, context: ContentContext) => Awaitable<MessageContent>;
  /** The opt-out topic; default: the type's name. */
  readonly topic?: string;
  /** Makes the ith example for `notify simulate --config`. `random` is uniform in [0, 1). */
  readonly sample?: (i: number, random: () => number) => unknown;
}

/** A notification type as it is written: what gives data out (schema, sample) agrees with what takes data in (key, route, content). */
export interface NotificationInput<Data> extends Omit<NotificationType<Data>, 'schema' | 'sample'> {
  readonly schema?: StandardSchema<Data>;
  readonly sample?: (i: number, random: () => number) => NoInfer<Data>;
}

/** Notification types by name, whatever data each of them takes. */
export type NotificationTypes = Readonly<Record<string, NotificationType<never>>>;

export interface ChannelConfig {
  /** In the order of preference; failover goes down the list. */
  readonly providers: readonly Provider[];
  /**
   * How addresses of the channel are read before anything is queued: the same in every producer and worker. Absent: they are used as they
   * are typed, where `addressProblem` has nothing against them.
   */
  readonly addresses?: AddressRule;
}

export interface WorkerOptions {
  /** Deliveries being sent at once, and at most that many in doubt when the process dies. 1 to 10,000. @defaultValue 50 */
  readonly concurrency?: number;
  /** Deliveries per ledger call. 1 to 1,000. @defaultValue 50 */
  readonly batch?: number;
  /** The right to act, renewed every third of it. 1,000 to 3,600,000 ms. @defaultValue 30_000 */
  readonly leaseMs?: number;
  /** From mark to "a missing outcome is unknown". 1,000 to 3,600,000 ms. @defaultValue 60_000 */
  readonly dispatchMs?: number;
  /** Taken off the dispatch window for the last byte. Shorter than it. @defaultValue 5_000 */
  readonly sendMarginMs?: number;
  /** Taken off a provider's key window; longer than `dispatchMs`. @defaultValue 2 x dispatchMs */
  readonly keyMarginMs?: number;
  /** Without a queue: how often the ledger is asked when nothing was due. @defaultValue 250 */
  readonly pollMs?: number;
  /** With a queue: how long a receive waits. @defaultValue 1_000 */
  readonly waitMs?: number;
  /** How often the sweeper and the reconciler run. @defaultValue 1_000 */
  readonly sweepMs?: number;
  /** With a queue: due for this long without a wake, a record is claimed directly. @defaultValue 5_000 */
  readonly lateMs?: number;
  /** A wake without a record is recorded as stray after this. Longer than an `add` can take. @defaultValue 60_000 */
  readonly strayAfterMs?: number;
  /** Targets per fan-out step. 1 to 10,000. @defaultValue 500 */
  readonly chunk?: number;
  /** Targets of one route at most: one that has more fails, and is asked again. 1 to 1,000,000,000. @defaultValue 10_000_000 */
  readonly maxTargets?: number;
  /** How long a route may take over all of its targets, where they are more than a page. 1,000 to 86,400,000 ms. @defaultValue 3_600_000 */
  readonly routeMs?: number;
  /** How long `run` lets marked sends finish after the signal. @defaultValue 10_000 */
  readonly graceMs?: number;
  /** Nothing settled for this long although work is due: alert `no-progress`. @defaultValue 60_000 */
  readonly noProgressMs?: number;
  /** Which of the two stages of work this worker does. @defaultValue ['decide', 'deliver'] */
  readonly stages?: readonly ('decide' | 'deliver')[];
  /** Shown in telemetry, history and `owner`; unique per process start. @defaultValue a fresh id */
  readonly name?: string;
}

export interface DeadLetterRetry {
  /** How long after it died. */
  readonly afterMs: number;
  /** How often at most per delivery. */
  readonly max: number;
}

export interface NotifierConfig<Types extends NotificationTypes = NotificationTypes> {
  readonly ledger: Ledger;
  /** Wakes for both stages; without one, workers ask the ledger. */
  readonly queue?: Queue;
  /** A queue of its own for the deciding stage; default: `queue`. */
  readonly eventsQueue?: Queue;
  /** Addresses and device tokens with their health: asked before a delivery is made, told what attempts prove. Absent: targets bring their address. */
  readonly destinations?: Destinations;
  /** When so many destinations look dead that none is given up any more. */
  readonly pruning?: PruningOptions;
  readonly channels: Partial<Record<Channel, ChannelConfig>>;
  readonly notifications: Types;
  /** Overrides of PROTOCOL's class table. */
  readonly classes?: Partial<Record<DeliveryClass, Partial<ClassPolicy>>>;
  readonly worker?: WorkerOptions;
  /** Redrives `dead` letters by itself, boundedly. Absent: never. */
  readonly deadLetterRetry?: DeadLetterRetry;
  readonly telemetry?: readonly Telemetry[];
  readonly alerts?: readonly AlertSink[];
  /** @defaultValue the system's */
  readonly clock?: Clock;
  readonly random?: Random;
}

/** Types a config; checks nothing until `createNotifier`. */
export function defineConfig<Types extends NotificationTypes>(config: NotifierConfig<Types>): NotifierConfig<Types> {
  return config;
}

/** Types one notification by its schema, or by the annotation of its functions' first parameter. */
export function notification<Data>(type: NotificationInput<Data>): NotificationType<Data> {
  return type;
}
