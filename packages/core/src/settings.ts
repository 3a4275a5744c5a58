import type {
  ChannelConfig,
  DeadLetterRetry,
  NotificationType,
  NotificationTypes,
  NotifierConfig,
  WorkerOptions,
} from './config.ts';
import { CHANNELS, DELIVERY_CLASSES, type Channel, type DeliveryClass } from './model/classes.ts';
import {
  checkNames,
  checkOptions,
  functionAt,
  invalid,
  isFields,
  numberIn,
  numberRule,
  oneOf,
  refuseName,
  shown,
  type Rule,
  type Rules,
} from './options.ts';
import { checkPolicy, POLICY_OPTIONS } from './policy/check-policy.ts';
import { CLASS_POLICIES, type ClassPolicy } from './policy/policy.ts';
import type { PruningOptions, PruningSettings } from './policy/pruning.ts';
import type { AddressRule, AddressRules } from './ports/addresses.ts';
import type { Provider } from './ports/provider.ts';
import { checkPorts, checkProvider } from './settings/check-ports.ts';

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
  readonly addresses: AddressRules;
  readonly worker: WorkerSettings;
  readonly pruning: PruningSettings;
}

export interface ResolvedChannel {
  /** Provider names in order of preference. */
  readonly order: readonly string[];
  readonly providers: ReadonlyMap<string, Provider>;
}

const WORKER_BOUNDS: Readonly<
  Record<keyof NumericWorkerOptions, readonly [least: number, preset: number, most: number]>
> = {
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
  maxTargets: [1, 10_000_000, 1_000_000_000],
  routeMs: [1_000, 3_600_000, 86_400_000],
  graceMs: [0, 10_000, 3_600_000],
  noProgressMs: [1_000, 60_000, 86_400_000],
};
type NumericWorkerOptions = Omit<WorkerSettings, 'stages' | 'name'>;
const NUMERIC_OPTIONS = Object.keys(WORKER_BOUNDS) as (keyof NumericWorkerOptions)[];
/** Counts; everything else is ms. */
const WHOLE: ReadonlySet<string> = new Set(['concurrency', 'batch', 'chunk', 'maxTargets']);
const WORKER_OPTIONS: ReadonlySet<string> = new Set([...NUMERIC_OPTIONS, 'stages', 'name']);
const STAGES: Required<WorkerOptions>['stages'] = ['decide', 'deliver'];

const FIELDS: Omit<Rule, 'must'> = { fits: isFields };
/** Looked at by `checkPorts`, which says what a port lacks. */
const PORT: Rule = { must: 'a port', fits: () => true };
const CONFIG_RULES: Rules & Readonly<Record<keyof NotifierConfig, Rule>> = {
  ledger: PORT,
  queue: PORT,
  eventsQueue: PORT,
  destinations: PORT,
  pruning: { ...FIELDS, must: 'an object { share, least, windowMs }' },
  channels: { ...FIELDS, must: 'an object { email: { providers: [...] }, ... }', required: true },
  notifications: { ...FIELDS, must: 'an object of notification types by name', required: true },
  classes: { ...FIELDS, must: 'an object of policies by class' },
  worker: { ...FIELDS, must: 'an object of worker options' },
  deadLetterRetry: { ...FIELDS, must: 'an object { afterMs, max }' },
  telemetry: PORT,
  alerts: PORT,
  clock: PORT,
  random: PORT,
};
const PRUNING: PruningSettings = { share: 0.2, least: 10, windowMs: 3_600_000 };
const PRUNING_RULES: Rules & Readonly<Record<keyof PruningOptions, Rule>> = {
  share: numberRule({ least: 0, most: 1 }),
  least: numberRule({ least: 1, most: 1_000_000, whole: true }),
  windowMs: numberRule({ least: 60_000, most: 86_400_000 }, ' ms'),
};
const KNOWN = {
  channel: new Set<string>(['providers', 'addresses'] satisfies readonly (keyof ChannelConfig)[]),
  policy: new Set<string>(POLICY_OPTIONS),
  type: new Set<string>(['class', 'schema', 'key', 'route', 'content', 'topic', 'sample', ...POLICY_OPTIONS]),
  deadLetterRetry: new Set<string>(['afterMs', 'max'] satisfies readonly (keyof DeadLetterRetry)[]),
} as const;

/**
 * Checks a config and fills in the defaults. `builtIn`: types that are there beside the config's own.
 * @throws SendonceError CONFIG_INVALID naming the option, what came and what is allowed.
 */
export function resolveSettings(config: NotifierConfig, builtIn: NotificationTypes = {}): Settings {
  if (!isFields(config))
    invalid(`the config must be an object { ledger, channels, notifications, ... }, got ${shown(config)}`);
  checkOptions('', config, CONFIG_RULES);
  checkPorts(config);
  checkClasses(config.classes);
  checkDeadLetterRetry(config.deadLetterRetry);
  const channels = resolveChannels(config);
  const types = new Map<string, ResolvedType>();
  for (const name in builtIn) types.set(name, typeOf(name, builtIn, config.classes));
  for (const name in config.notifications) {
    if (types.has(name)) invalid(`notifications.${name} is the name of a type of our own; give yours another`);
    types.set(name, typeOf(name, config.notifications, config.classes));
  }
  const worker = resolveWorker(config.worker ?? {});
  checkKeyWindows(channels, worker);
  return { types, channels, addresses: addressRules(config), worker, pruning: resolvePruning(config.pruning) };
}

/** Worker options with defaults; each bound is in WORKER_BOUNDS, the cross-checks are PROTOCOL rules 2 and 9. */
export function resolveWorker(options: WorkerOptions): WorkerSettings {
  const whole: unknown = options;
  if (!isFields(whole)) invalid(`worker must be an object of worker options, got ${shown(whole)}`);
  checkNames('worker.', options, WORKER_OPTIONS);
  const dispatchMs = options.dispatchMs ?? WORKER_BOUNDS.dispatchMs[1];
  const numbers = {} as Record<keyof NumericWorkerOptions, number>;
  // A worker is made at every start of a simulated process: no intermediate lists here.
  for (const key of NUMERIC_OPTIONS) numbers[key] = bounded(key, options[key] ?? preset(key, dispatchMs));
  if (numbers.sendMarginMs >= numbers.dispatchMs)
    invalid(
      `worker.sendMarginMs (${numbers.sendMarginMs}) must be shorter than worker.dispatchMs (${numbers.dispatchMs}), or nothing could ever be sent`,
    );
  if (numbers.keyMarginMs <= numbers.dispatchMs)
    invalid(
      `worker.keyMarginMs (${numbers.keyMarginMs}) must be longer than worker.dispatchMs (${numbers.dispatchMs}), or a replay could reach a provider that forgot the key`,
    );
  const { stages = STAGES, name = '' } = options;
  if (!Array.isArray(stages) || stages.length === 0)
    invalid(
      `worker.stages must name at least one of ${STAGES.join(', ')}, got ${Array.isArray(stages) ? '[]' : shown(stages)}`,
    );
  for (const stage of stages) oneOf('worker.stages', stage, STAGES);
  if (typeof name !== 'string') invalid(`worker.name must be a string, got ${shown(name)}`);
  return { ...numbers, stages, name };
}

/** Margins follow the dispatch window unless they are set. */
function preset(key: keyof NumericWorkerOptions, dispatchMs: number): number {
  if (key === 'keyMarginMs') return 2 * dispatchMs;
  if (key === 'sendMarginMs') return Math.min(WORKER_BOUNDS.sendMarginMs[1], dispatchMs / 4);
  return WORKER_BOUNDS[key][1];
}

function bounded(key: keyof NumericWorkerOptions, value: number): number {
  const [least, , most] = WORKER_BOUNDS[key];
  if (typeof value === 'number' && value >= least && value <= most && (Number.isInteger(value) || !WHOLE.has(key)))
    return value;
  return invalid(
    `worker.${key} must be a ${WHOLE.has(key) ? 'whole ' : ''}number from ${least} to ${most}, got ${shown(value)}`,
  );
}

/**
 * A worker replays only until the key window minus the key margin, so a window that is shorter than that margin and one dispatch
 * window is closed before the first attempt's outcome can be missing: every unknown outcome would go to the class's last resort.
 */
export function checkKeyWindows(channels: Settings['channels'], { keyMarginMs, dispatchMs }: WorkerSettings): void {
  for (const [channel, { providers }] of channels)
    for (const { name, capabilities } of providers.values()) {
      const { idempotency } = capabilities;
      if (idempotency.kind === 'none' || idempotency.windowMs >= keyMarginMs + dispatchMs) continue;
      invalid(
        `channels.${channel}: provider '${name}' remembers a key for ${idempotency.windowMs} ms, which is shorter than worker.keyMarginMs (${keyMarginMs}) + ` +
          `worker.dispatchMs (${dispatchMs}): its key could never be used. Shorten those two, or declare its idempotency as 'none'`,
      );
    }
}

function resolveChannels(config: NotifierConfig): ReadonlyMap<Channel, ResolvedChannel> {
  const channels = new Map<Channel, ResolvedChannel>();
  for (const [name, channel] of Object.entries(config.channels)) {
    if (!(CHANNELS as readonly string[]).includes(name)) refuseName(`channels.${name}`, name, CHANNELS, 'a channel');
    channels.set(name as Channel, resolveChannel(name, channel));
  }
  if (channels.size === 0) invalid('channels is empty; configure at least one channel with a provider');
  return channels;
}

/** The rules of those channels that have one. */
export function addressRules({ channels }: Pick<NotifierConfig, 'channels'>): AddressRules {
  const rules: Partial<Record<Channel, AddressRule>> = {};
  for (const [name, { addresses }] of Object.entries(channels))
    if (addresses !== undefined) rules[name as Channel] = addresses;
  return rules;
}

function resolveChannel(name: string, channel: ChannelConfig): ResolvedChannel {
  if (!isFields(channel)) invalid(`channels.${name} must be an object { providers: [...] }, got ${shown(channel)}`);
  checkNames(`channels.${name}.`, channel, KNOWN.channel);
  functionAt(`channels.${name}.addresses`, channel.addresses, false);
  const given: readonly Provider[] | undefined = channel.providers;
  const listed: unknown = given;
  if (listed !== undefined && !Array.isArray(listed))
    invalid(`channels.${name}.providers must be a list of providers, got ${shown(listed)}`);
  if (given === undefined || given.length === 0) invalid(`channels.${name} has no providers; give at least one`);
  given.forEach((provider, i) => checkProvider(name, `channels.${name}.providers[${i}]`, provider));
  const order = given.map((provider) => provider.name);
  const providers = new Map(given.map((provider) => [provider.name, provider]));
  if (providers.size < order.length)
    invalid(`channels.${name} has two providers of one name (${order.join(', ')}); names are part of the provider key`);
  return { order, providers };
}

type Classes = NotifierConfig['classes'];

/** What was checked once is not checked again: the simulator makes a notifier at every start of a process, from the same objects. */
const checkedClasses = new WeakSet<object>();
const resolvedTypes = new WeakMap<object, { readonly classes: Classes; readonly resolved: ResolvedType }>();

function checkClasses(classes: Classes): void {
  if (classes === undefined || checkedClasses.has(classes)) return;
  for (const [name, policy] of Object.entries(classes)) {
    if (!(DELIVERY_CLASSES as readonly string[]).includes(name))
      refuseName(`classes.${name}`, name, DELIVERY_CLASSES, 'a class');
    if (policy === undefined) continue;
    if (!isFields(policy)) invalid(`classes.${name} must be an object of policy options, got ${shown(policy)}`);
    checkNames(`classes.${name}.`, policy, KNOWN.policy);
    checkPolicy(`classes.${name}.`, policy);
  }
  checkedClasses.add(classes);
}

/** A redrive is a new generation with all its attempts: a line of them has to end. */
function checkDeadLetterRetry(retry: DeadLetterRetry | undefined): void {
  if (retry === undefined) return;
  checkNames('deadLetterRetry.', retry, KNOWN.deadLetterRetry);
  numberIn('deadLetterRetry.afterMs', retry.afterMs, { least: 0, most: 31_536_000_000 });
  numberIn('deadLetterRetry.max', retry.max, { least: 1, most: 100, whole: true });
}

function resolvePruning(pruning: PruningOptions = {}): PruningSettings {
  checkOptions('pruning.', pruning, PRUNING_RULES);
  const { share = PRUNING.share, least = PRUNING.least, windowMs = PRUNING.windowMs } = pruning;
  return { share, least, windowMs };
}

function typeOf(name: string, notifications: NotificationTypes, classes: Classes): ResolvedType {
  const type = notifications[name];
  if (typeof type !== 'object' || type === null)
    return invalid(`notifications.${name} must be a notification type, got ${shown(type)}`);
  const known = resolvedTypes.get(type);
  if (known !== undefined && known.classes === classes && known.resolved.name === name) return known.resolved;
  const resolved = resolveType(name, type, classes);
  resolvedTypes.set(type, { classes, resolved });
  return resolved;
}

function resolveType(name: string, type: NotificationType<never>, classes: Classes): ResolvedType {
  const at = `notifications.${name}.`;
  oneOf(`${at}class`, type.class, DELIVERY_CLASSES);
  checkNames(at, type, KNOWN.type);
  functionAt(`${at}content`, type.content, true);
  for (const option of ['key', 'route', 'sample'] as const) functionAt(`${at}${option}`, type[option], false);
  if (type.schema !== undefined && typeof type.schema['~standard']?.validate !== 'function')
    invalid(`${at}schema must be a Standard Schema (Zod, Valibot, ArkType, ...), got ${typeof type.schema}`);
  if (type.topic !== undefined && (typeof type.topic !== 'string' || type.topic === ''))
    invalid(`${at}topic must be a string that is not empty, got ${shown(type.topic)}`);
  checkPolicy(at, type);
  const policy = merged(type, type.class, classes);
  if (policy.expiresInMs === null) invalid(`${at}expiresInMs is required: class ${type.class} has no default expiry`);
  return { name, type, policy, topic: policy.optOut === 'never' ? null : (type.topic ?? name) };
}

function merged(type: NotificationType<never>, of: DeliveryClass, classes: Classes): ClassPolicy {
  const overrides = Object.fromEntries(
    POLICY_OPTIONS.filter((option) => type[option] !== undefined).map((option) => [option, type[option]]),
  );
  return { ...CLASS_POLICIES[of], ...classes?.[of], ...overrides };
}
