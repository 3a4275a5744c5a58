import { CHANNELS, DELIVERY_CLASSES, SendonceError, type NotifierConfig } from '@sendonce/core';
import { nearest, unknownAmong } from '../nearest.ts';

// `satisfies` keeps these lists in step with the types: a new option that is missing here does not compile.
const CONFIG_OPTIONS = {
  ledger: true,
  queue: true,
  eventsQueue: true,
  destinations: true,
  pruning: true,
  channels: true,
  notifications: true,
  classes: true,
  worker: true,
  deadLetterRetry: true,
  telemetry: true,
  alerts: true,
  clock: true,
  random: true,
} satisfies Record<keyof NotifierConfig, true>;

const TYPE_OPTIONS = {
  class: true,
  schema: true,
  key: true,
  route: true,
  content: true,
  topic: true,
  sample: true,
  replayForMs: true,
  lookup: true,
  onUnknown: true,
  expiresInMs: true,
  maxAttempts: true,
  retry: true,
  optOut: true,
  failoverOnNotSent: true,
} satisfies Record<keyof NotifierConfig['notifications'][string], true>;

type Fields = Readonly<Record<string, unknown>>;

export interface ConfigNeeds {
  /** Every type can make examples of its data. @defaultValue true */
  readonly samples?: boolean;
}

/** Whether a command can use what a config file exports. Values and bounds are left to `createNotifier`, which checks them all. */
export function checkConfig(file: string, exported: unknown, { samples = true }: ConfigNeeds = {}): NotifierConfig {
  if (!isRecord(exported)) throw invalid(file, `exports ${describe(exported)}, not a config`);
  checkOptions(file, 'the config', exported, Object.keys(CONFIG_OPTIONS));
  checkChannels(file, exported['channels']);
  checkTypes(file, exported['notifications'], samples);
  return exported as unknown as NotifierConfig;
}

function checkChannels(file: string, channels: unknown): void {
  if (!isRecord(channels) || Object.keys(channels).length === 0) {
    throw invalid(file, 'has no channels; write `channels: { email: { providers: [...] } }`');
  }
  for (const [name, channel] of Object.entries(channels)) {
    if (!(CHANNELS as readonly string[]).includes(name))
      throw invalid(file, `channels: ${name} is ${unknownAmong(name, CHANNELS)}`);
    const providers = isRecord(channel) ? channel['providers'] : undefined;
    if (!Array.isArray(providers) || providers.length === 0) throw invalid(file, `channels: ${name} has no providers`);
    const wrong = providers.findIndex((provider) => !isProvider(provider));
    if (wrong >= 0)
      throw invalid(file, `channels: ${name}: provider ${wrong + 1} is no provider (name, capabilities, send)`);
  }
}

function checkTypes(file: string, types: unknown, needsSamples: boolean): void {
  if (!isRecord(types) || Object.keys(types).length === 0)
    throw invalid(file, 'has no notifications: there is nothing to publish');
  for (const [name, type] of Object.entries(types)) {
    const where = `notifications: ${name}`;
    if (!isRecord(type)) throw invalid(file, `${where} is ${describe(type)}, not a notification type`);
    checkOptions(file, where, type, Object.keys(TYPE_OPTIONS));
    const given = String(type['class']);
    if (!(DELIVERY_CLASSES as readonly string[]).includes(given)) {
      throw invalid(file, `${where}: class ${given} is ${unknownAmong(given, DELIVERY_CLASSES)}`);
    }
    if (typeof type['content'] !== 'function') throw invalid(file, `${where} has no \`content\` function`);
  }
  if (!needsSamples) return;
  const without = Object.keys(types).filter((name) => typeof (types[name] as Fields)['sample'] !== 'function');
  if (without.length > 0) {
    const example = '`sample: (i, random) => ({ ... })`, which makes the ith example to publish';
    throw invalid(file, `notifications: ${without.join(', ')} cannot be simulated without ${example}`);
  }
}

function checkOptions(file: string, where: string, options: Fields, allowed: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !allowed.includes(name));
  if (unknown === undefined) return;
  const close = nearest(unknown, allowed);
  throw invalid(
    file,
    `${where} has an unknown option '${unknown}'.${close === null ? ` Known: ${allowed.join(', ')}.` : ` Did you mean ${close}?`}`,
  );
}

function isProvider(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['name'] === 'string' &&
    isRecord(value['capabilities']) &&
    typeof value['send'] === 'function'
  );
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

function invalid(file: string, problem: string): SendonceError {
  return new SendonceError('CONFIG_FILE_INVALID', `${file}: ${problem}`);
}
