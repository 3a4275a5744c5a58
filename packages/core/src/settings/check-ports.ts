import { ANY_PROVIDER } from '../model/delivery.ts';
import { invalid, isFields, numberIn, oneOf, shown } from '../options.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Destinations } from '../ports/destinations.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Lookup, Provider } from '../ports/provider.ts';
import type { Queue } from '../ports/queue.ts';
import type { AlertSink, Telemetry } from '../ports/telemetry.ts';

type Methods<Port> = readonly (keyof Port & string)[];

const LEDGER: Methods<Ledger> = [
  'accept',
  'seal',
  'claimNotifications',
  'add',
  'claim',
  'renew',
  'release',
  'mark',
  'settle',
  'sweep',
  'reconcile',
  'record',
  'cancel',
  'suppress',
  'block',
  'replay',
  'forget',
  'find',
  'findNotifications',
  'list',
  'listNotifications',
  'count',
  'history',
  'close',
];
const QUEUE: Methods<Queue> = ['enqueue', 'receive', 'ack', 'release', 'extend', 'depth', 'close'];
const DESTINATIONS: Methods<Destinations> = [
  'register',
  'remove',
  'of',
  'report',
  'suppress',
  'health',
  'list',
  'forget',
  'close',
];
const CLOCK: Methods<Clock> = ['now', 'monotonic', 'sleep'];
const RANDOM: Methods<Random> = ['next', 'id'];
const PROVIDER: Methods<Provider> = ['send', 'close'];
const LOOKUP: Methods<Lookup> = ['find'];
const TELEMETRY: Methods<Telemetry> = ['emit'];
const ALERTS: Methods<AlertSink> = ['send', 'close'];

interface PortsGiven {
  readonly ledger?: unknown;
  readonly queue?: unknown;
  readonly eventsQueue?: unknown;
  readonly destinations?: unknown;
  readonly clock?: unknown;
  readonly random?: unknown;
  readonly telemetry?: unknown;
  readonly alerts?: unknown;
}

/**
 * Whether the ports of a config are what they have to be, so that a wrong one is met here and not by the first delivery.
 * @throws SendonceError CONFIG_INVALID naming the port and what it lacks.
 */
export function checkPorts(given: PortsGiven): void {
  checkPort('ledger', 'ledger', given.ledger);
  for (const name of ['queue', 'eventsQueue'] as const)
    if (given[name] !== undefined) checkPort('queue', name, given[name]);
  if (given.destinations !== undefined) checkPort('destinations', 'destinations', given.destinations);
  if (given.clock !== undefined) portAt('clock', given.clock, 'a clock', CLOCK);
  if (given.random !== undefined) portAt('random', given.random, 'a source of randomness', RANDOM);
  sinksAt('telemetry', given.telemetry, 'a telemetry sink', TELEMETRY);
  sinksAt('alerts', given.alerts, 'an alert sink', ALERTS);
}

/** @throws SendonceError CONFIG_INVALID naming the provider and what it lacks. */
export function checkProvider(channel: string, at: string, given: unknown): void {
  portAt(at, given, 'a provider', PROVIDER);
  const { name, capabilities } = given as Partial<Record<keyof Provider, unknown>>;
  if (typeof name !== 'string' || name === '' || name === ANY_PROVIDER)
    invalid(
      `channels.${channel}: a provider's name must be a string other than '' and '${ANY_PROVIDER}', got ${shown(name)}`,
    );
  const { check } = given as { readonly check?: unknown };
  if (check !== undefined && typeof check !== 'function')
    invalid(`${at}.check must be a function, or left out, got ${shown(check)}`);
  const able = fieldsAt(`${at}.capabilities`, capabilities, 'what the provider can do');
  const idempotency = fieldsAt(`${at}.capabilities.idempotency`, able['idempotency'], "{ kind: 'none' } or what it is");
  oneOf(`${at}.capabilities.idempotency.kind`, idempotency['kind'], ['key', 'client-id', 'none']);
  if (idempotency['kind'] !== 'none')
    numberIn(`${at}.capabilities.idempotency.windowMs`, idempotency['windowMs'], { least: 1, most: Infinity });
  if (able['lookup'] !== 'none') portAt(`${at}.capabilities.lookup`, able['lookup'], "'none' or a lookup", LOOKUP);
}

/** One port apart from a config. @throws SendonceError CONFIG_INVALID naming the port and what it lacks. */
export function checkPort(kind: 'ledger' | 'queue' | 'destinations', at: string, given: unknown): void {
  if (kind === 'queue') queueAt(at, given);
  else if (kind === 'destinations') portAt(at, given, 'a store of destinations', DESTINATIONS);
  else portAt(at, given, 'a ledger', LEDGER);
}

function queueAt(at: string, given: unknown): void {
  portAt(at, given, 'a queue', QUEUE);
  const { capabilities } = given as Partial<Record<keyof Queue, unknown>>;
  const able = fieldsAt(`${at}.capabilities`, capabilities, 'what the queue can do');
  numberIn(`${at}.capabilities.maxBatch`, able['maxBatch'], { least: 1, most: Infinity });
  numberIn(`${at}.capabilities.maxDelayMs`, able['maxDelayMs'], { least: 0, most: Infinity });
  numberIn(`${at}.capabilities.visibilityMs`, able['visibilityMs'], { least: 0, most: Infinity });
}

function sinksAt(at: string, given: unknown, what: string, methods: readonly string[]): void {
  if (given === undefined) return;
  if (!Array.isArray(given))
    invalid(`${at} must be a list, each ${what} with ${methods.join(', ')}, got ${shown(given)}`);
  (given as unknown[]).forEach((sink, i) => portAt(`${at}[${i}]`, sink, what, methods));
}

function portAt(at: string, given: unknown, what: string, methods: readonly string[]): void {
  const port = fieldsAt(at, given, `${what} with ${methods.join(', ')}`);
  const missing = methods.filter((method) => typeof port[method] !== 'function');
  if (missing.length > 0)
    invalid(`${at} must be ${what} with ${methods.join(', ')}; it has no method ${missing.join(', ')}`);
}

function fieldsAt(at: string, given: unknown, what: string): Readonly<Record<string, unknown>> {
  return isFields(given) ? given : invalid(`${at} must be ${what}, got ${shown(given)}`);
}
