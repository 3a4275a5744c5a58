import type { NotificationType, NotifierConfig, WorkerOptions } from './config.ts';
import { CHANNELS, DELIVERY_CLASSES, type Channel } from './model/classes.ts';
import { SendonceError } from './model/errors.ts';
import { CLASS_POLICIES, type ClassPolicy } from './policy/policy.ts';
import type { Provider } from './ports/provider.ts';

export type WorkerSettings = Required<WorkerOptions>;

/** A notification type with its class's policy and its own overrides merged. */
export interface ResolvedType {
  readonly name: string;
  readonly type: NotificationType<never>;
  readonly policy: ClassPolicy;
  readonly topic: string | null;
}

/** A checked config: what the stages read. */
export interface Settings {
  readonly types: ReadonlyMap<string, ResolvedType>;
  readonly channels: ReadonlyMap<Channel, ResolvedChannel>;
  readonly worker: WorkerSettings;
}

export interface ResolvedChannel {
  /** Provider names in order of preference. */
  readonly order: readonly string[];
  readonly providers: ReadonlyMap<string, Provider>;
}

const WORKER_BOUNDS: Readonly<Record<keyof NumericWorkerOptions, readonly [least: number, preset: number, most: number]>> = {
  concurrency: [1, 50, 10_000],
  batch: [1, 50, 1_000],
  leaseMs: [1_000, 30_000, 3_600_000],
  dispatchMs: [1_000, 60_000, 3_600_000],
  sendMarginMs: [0, 5_000, 600_000],
  keyMarginMs: [1_000, 120_000, 86_400_000],
  pollMs: [1, 250, 60_000],
  waitMs: [0, 1_000, 20_000],
  sweepMs: [10, 1_000, 60_000],
  lateMs: [0, 5_000, 3_600_000],
  strayAfterMs: [1_000, 60_000, 86_400_000],
  chunk: [1, 500, 10_000],
  graceMs: [0, 10_000, 3_600_000],
  noProgressMs: [1_000, 60_000, 86_400_000],
};
type NumericWorkerOptions = Omit<WorkerSettings, 'stages' | 'name'>;
const NUMERIC_OPTIONS = Object.keys(WORKER_BOUNDS) as (keyof NumericWorkerOptions)[];
const KNOWN_OPTIONS: ReadonlySet<string> = new Set([...NUMERIC_OPTIONS, 'stages', 'name']);

/**
 * Checks a config and fills in the defaults.
 * @throws SendonceError CONFIG_INVALID naming the option, what came and what is allowed.
 */
export function resolveSettings(config: NotifierConfig): Settings {
  const channels = resolveChannels(config);
  const types = new Map(Object.entries(config.notifications).map(([name, type]) => [name, resolveType(name, type, config)]));
  return { types, channels, worker: resolveWorker(config.worker ?? {}) };
}

/** Worker options with defaults; each bound is in WORKER_BOUNDS, the cross-checks are PROTOCOL rules 2 and 9. */
export function resolveWorker(options: WorkerOptions): WorkerSettings {
  for (const key in options) if (!KNOWN_OPTIONS.has(key)) invalid(`worker.${key} is not an option; known: ${[...KNOWN_OPTIONS].join(', ')}`);
  const dispatchMs = options.dispatchMs ?? WORKER_BOUNDS.dispatchMs[1];
  const numbers = {} as Record<keyof NumericWorkerOptions, number>;
  // A worker is made at every start of a simulated process: no intermediate lists here.
  for (const key of NUMERIC_OPTIONS) numbers[key] = bounded(key, options[key] ?? preset(key, dispatchMs), WORKER_BOUNDS[key]);
  if (numbers.sendMarginMs >= numbers.dispatchMs)
    invalid(`worker.sendMarginMs (${numbers.sendMarginMs}) must be shorter than worker.dispatchMs (${numbers.dispatchMs}), or nothing could ever be sent`);
  if (numbers.keyMarginMs <= numbers.dispatchMs)
    invalid(`worker.keyMarginMs (${numbers.keyMarginMs}) must be longer than worker.dispatchMs (${numbers.dispatchMs}), or a replay could reach a provider that forgot the key`);
  return { ...numbers, stages: options.stages ?? ['decide', 'deliver'], name: options.name ?? '' };
}

/** Margins follow the dispatch window unless they are set. */
function preset(key: keyof NumericWorkerOptions, dispatchMs: number): number {
  if (key === 'keyMarginMs') return 2 * dispatchMs;
  if (key === 'sendMarginMs') return Math.min(WORKER_BOUNDS.sendMarginMs[1], dispatchMs / 4);
  return WORKER_BOUNDS[key][1];
}

function bounded(key: string, value: number, [least, , most]: readonly [number, number, number]): number {
  if (typeof value !== 'number' || !(value >= least && value <= most)) invalid(`worker.${key} must be a number from ${least} to ${most}, got ${String(value)}`);
  return value;
}

function resolveChannels(config: NotifierConfig): ReadonlyMap<Channel, ResolvedChannel> {
  const channels = new Map<Channel, ResolvedChannel>();
  for (const [name, channel] of Object.entries(config.channels)) {
    if (!(CHANNELS as readonly string[]).includes(name)) invalid(`channels.${name} is not a channel; known: ${CHANNELS.join(', ')}`);
    const order = channel.providers.map((provider) => provider.name);
    if (order.length === 0) invalid(`channels.${name} has no providers; give at least one`);
    if (new Set(order).size < order.length) invalid(`channels.${name} has two providers of one name (${order.join(', ')}); names are part of the provider key`);
    channels.set(name as Channel, { order, providers: new Map(channel.providers.map((provider) => [provider.name, provider])) });
  }
  if (channels.size === 0) invalid('channels is empty; configure at least one channel with a provider');
  return channels;
}

const POLICY_OPTIONS = Object.keys(CLASS_POLICIES.transactional) as (keyof ClassPolicy)[];

function resolveType(name: string, type: NotificationType<never>, config: NotifierConfig): ResolvedType {
  if (!(DELIVERY_CLASSES as readonly string[]).includes(type.class))
    invalid(`notifications.${name}.class must be one of ${DELIVERY_CLASSES.join(', ')}, got ${String(type.class)}`);
  const overrides = Object.fromEntries(POLICY_OPTIONS.filter((option) => type[option] !== undefined).map((option) => [option, type[option]]));
  const policy: ClassPolicy = { ...CLASS_POLICIES[type.class], ...config.classes?.[type.class], ...overrides };
  if (policy.expiresInMs === null) invalid(`notifications.${name}.expiresInMs is required: class ${type.class} has no default expiry`);
  if (!(policy.expiresInMs > 0)) invalid(`notifications.${name}.expiresInMs must be more than 0 ms, got ${policy.expiresInMs}`);
  if (!(Number.isInteger(policy.maxAttempts) && policy.maxAttempts >= 1 && policy.maxAttempts <= 100))
    invalid(`notifications.${name}.maxAttempts must be a whole number from 1 to 100, got ${policy.maxAttempts}`);
  return { name, type, policy, topic: policy.optOut === 'never' ? null : (type.topic ?? name) };
}

function invalid(message: string): never {
  throw new SendonceError('CONFIG_INVALID', message);
}
