import {
  PROVIDER_MODELS,
  SETUP_RANGES as RANGES,
  type AcceptanceKill,
  type ProviderModel,
  type SimulationSetup,
} from '@sendonce/chaos';
import { DELIVERY_CLASSES, UNKNOWN_ACTIONS } from '@sendonce/core';
import { flagError } from '../flags/flag-error.ts';
import { parseFaults } from '../flags/parse-faults.ts';
import { parseKillAt } from '../flags/parse-kill-at.ts';
import { parseQueue } from '../flags/parse-queue.ts';
import { parseChoice, parseCount, parseDuration, parseShare, parseSpan } from '../flags/parse-values.ts';
import { checkConflicts } from './check-conflicts.ts';
import type { SimulateFlags } from './flags.ts';

/** What the flags ask for, every value read and checked. */
export interface SimulateSettings {
  readonly recipients: number;
  readonly workers: number;
  /** Null: as the config says, else 50. */
  readonly concurrency: number | null;
  readonly provider: ProviderModel;
  readonly class: string;
  readonly onUnknown: string | null;
  /** Null: as the config says, else with one. */
  readonly queue: boolean | null;
  readonly knobs: SimulationSetup['knobs'];
  /** As it was given. */
  readonly latency: string | null;
  readonly kills: readonly AcceptanceKill[];
  readonly dropAcks: number;
  readonly profile: readonly string[] | null;
  readonly sender: string | null;
  readonly seed: string;
  readonly schedules: number;
  readonly forMs: number | null;
  readonly recipientsFile: string | null;
  readonly config: string | null;
  /** Whether anybody wants the events of a passing run. */
  readonly record: boolean;
}

/** What the harness knows by name. */
export interface KnownNames {
  readonly faults: readonly string[];
  readonly senders: readonly KnownSender[];
}

/** A known-bad sender, in the world and with the faults that show what is wrong with it. */
export interface KnownSender {
  readonly name: string;
  readonly setup: SimulationSetup;
  readonly kinds: readonly string[];
}

type World = Pick<
  SimulateSettings,
  'recipients' | 'workers' | 'concurrency' | 'provider' | 'class' | 'onUnknown' | 'queue' | 'knobs'
>;

const WORLD: World = {
  recipients: 200,
  workers: 4,
  concurrency: null,
  provider: 'keyed',
  class: 'transactional',
  onUnknown: null,
  queue: null,
  knobs: {},
};
/** As many as `--self-test` runs; the first that fails ends it. */
const SCHEDULES_OF_SENDER = 400;

/** @throws SendonceError `FLAG_INVALID`, with what was given, what is allowed and the nearest match. */
export function simulateSettings(flags: SimulateFlags, known: KnownNames, drawSeed: () => string): SimulateSettings {
  checkConflicts(flags);
  const kills = (flags['kill-at'] ?? []).map(parseKillAt);
  const dropAcks = given(flags['drop-acks'], (text) => parseShare('drop-acks', text), 0);
  const sender = given(flags.break, (text) => senderNamed(text, known.senders), null);
  // A share of nothing is a choice too: a run without faults.
  const chosen = kills.length > 0 || flags['drop-acks'] !== undefined;
  const kinds = sender?.kinds ?? ['all'];
  const schedules = sender === null ? 100 : SCHEDULES_OF_SENDER;
  return {
    ...worldOf(flags, sender === null ? WORLD : worldOfSender(sender)),
    latency: flags.latency ?? null,
    kills,
    dropAcks,
    profile: given(flags.faults, (text) => parseFaults(text, known.faults), chosen ? null : kinds),
    sender: sender?.name ?? null,
    seed: given(flags.seed, (text) => parseSeed(text), drawSeed()),
    schedules: given(flags.schedules, (text) => parseCount('schedules', text, 1, 1_000_000), chosen ? 1 : schedules),
    forMs: given(flags.for, (text) => parseDuration('for', text), null),
    recipientsFile: flags['recipients-file'] ?? null,
    config: flags.config ?? null,
    record: flags.report !== undefined,
  };
}

/** What is given wins. */
function worldOf(flags: SimulateFlags, otherwise: World): World {
  return {
    recipients: given(
      flags.recipients,
      (text) => parseCount('recipients', text, RANGES.recipients.least, RANGES.recipients.most),
      otherwise.recipients,
    ),
    workers: given(
      flags.workers,
      (text) => parseCount('workers', text, RANGES.workers.least, RANGES.workers.most),
      otherwise.workers,
    ),
    concurrency: given(
      flags.concurrency,
      (text) => parseCount('concurrency', text, RANGES.concurrency.least, RANGES.concurrency.most),
      otherwise.concurrency,
    ),
    provider: given(flags.provider, (text) => parseChoice('provider', text, PROVIDER_MODELS), otherwise.provider),
    class: given(flags.class, (text) => parseChoice('class', text, DELIVERY_CLASSES), otherwise.class),
    onUnknown: given(
      flags['on-unknown'],
      (text) => parseChoice('on-unknown', text, UNKNOWN_ACTIONS),
      otherwise.onUnknown,
    ),
    queue: queueOf(flags) ?? otherwise.queue,
    knobs: { ...otherwise.knobs, ...given(flags.latency, latencyOf, {}) },
  };
}

/** Whether there is a queue; which one is a matter of real processes. */
function queueOf(flags: SimulateFlags): boolean | null {
  const choice = parseQueue(flags.queue, flags['no-queue'] === true);
  return choice === null ? null : choice.kind !== 'none';
}

/** There and back: half of it each way. */
function latencyOf(text: string): SimulationSetup['knobs'] {
  const [least, most] = parseSpan('latency', text);
  return { providerLeastMs: Math.floor(least / 2), providerMostMs: Math.ceil(most / 2) };
}

function senderNamed(name: string, senders: readonly KnownSender[]): KnownSender | null {
  const names = senders.map((sender) => sender.name);
  const chosen = parseChoice('break', name, names);
  return senders.find((sender) => sender.name === chosen) ?? null;
}

function worldOfSender({ setup }: KnownSender): World {
  const { recipients, workers, concurrency, provider, queue, knobs, onUnknown } = setup;
  const count = typeof recipients === 'number' ? recipients : recipients.length;
  return { recipients: count, workers, concurrency, provider, class: setup.class, onUnknown, queue, knobs };
}

/** `isListed`: a file says how many there are. @throws SendonceError `FLAG_INVALID` for a kill that could never happen. */
export function checkKills(kills: readonly AcceptanceKill[], recipients: number, isListed = false): void {
  const late = kills.find(({ acceptance }) => acceptance > recipients);
  if (late === undefined) return;
  const allowed = `a number from 1 to ${recipients}, as there are ${recipients} recipients`;
  const more = !isListed && late.acceptance <= RANGES.recipients.most ? `; or --recipients ${late.acceptance}` : '';
  throw flagError('kill-at', String(late.acceptance), `${allowed}${more}`, String(recipients));
}

/** Nothing that a shell could take for something else. `q/7` is the seed of the schedule that follows seven others of `q`. */
export function parseSeed(text: string): string {
  if (/^[\w.-]{1,64}(\/\d{1,16})?$/.test(text)) return text;
  throw flagError(
    'seed',
    text,
    '1 to 64 letters, digits, dots, dashes or underscores, and after them /N for one schedule of a search',
  );
}

function given<Value, Default>(
  text: string | undefined,
  parse: (text: string) => Value,
  otherwise: Default,
): Value | Default {
  return text === undefined ? otherwise : parse(text);
}
