import { PROVIDER_MODELS, type AcceptanceKill, type ProviderModel } from '@sendonce/chaos';
import { DELIVERY_CLASSES, UNKNOWN_ACTIONS, type DeliveryClass, type UnknownAction } from '@sendonce/core';
import { flagError } from '../flags/flag-error.ts';
import { parseFaults } from '../flags/parse-faults.ts';
import { parseKillAt } from '../flags/parse-kill-at.ts';
import { parseChoice, parseCount, parseDuration, parseShare } from '../flags/parse-values.ts';
import { checkConflicts } from './check-conflicts.ts';
import type { SimulateFlags } from './flags.ts';

/** What the flags ask for, every value read and checked. */
export interface SimulateSettings {
  readonly recipients: number;
  readonly workers: number;
  /** Null: as the config says, else 50. */
  readonly concurrency: number | null;
  readonly provider: ProviderModel;
  readonly class: DeliveryClass;
  readonly onUnknown: UnknownAction | null;
  /** Null: as the config says, else with one. */
  readonly queue: boolean | null;
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

/** The names that the harness knows. */
export interface KnownNames {
  readonly faults: readonly string[];
  readonly senders: readonly string[];
}

/** @throws SendonceError `FLAG_INVALID`, with what was given, what is allowed and the nearest match. */
export function simulateSettings(flags: SimulateFlags, known: KnownNames, drawSeed: () => string): SimulateSettings {
  checkConflicts(flags);
  const kills = (flags['kill-at'] ?? []).map(parseKillAt);
  const dropAcks = given(flags['drop-acks'], (text) => parseShare('drop-acks', text), 0);
  const chosen = kills.length > 0 || dropAcks > 0;
  const settings: SimulateSettings = {
    recipients: given(
      flags.recipients,
      (text) => parseCount('recipients', text, 1, 1_000_000),
      flags.break === undefined ? 200 : 20,
    ),
    workers: given(flags.workers, (text) => parseCount('workers', text, 1, 64), 4),
    concurrency: given(flags.concurrency, (text) => parseCount('concurrency', text, 1, 10_000), null),
    provider: given(flags.provider, (text) => parseChoice('provider', text, PROVIDER_MODELS), 'keyed'),
    class: given(flags.class, (text) => parseChoice('class', text, DELIVERY_CLASSES), 'transactional'),
    onUnknown: given(flags['on-unknown'], (text) => parseChoice('on-unknown', text, UNKNOWN_ACTIONS), null),
    queue: flags.queue ?? null,
    kills,
    dropAcks,
    profile: given(flags.faults, (text) => parseFaults(text, known.faults), chosen ? null : ['all']),
    sender: given(flags.break, (text) => parseChoice('break', text, known.senders), null),
    seed: given(flags.seed, (text) => parseSeed(text), drawSeed()),
    schedules: given(flags.schedules, (text) => parseCount('schedules', text, 1, 1_000_000), chosen ? 1 : 100),
    forMs: given(flags.for, (text) => parseDuration('for', text), null),
    recipientsFile: flags['recipients-file'] ?? null,
    config: flags.config ?? null,
    record: flags.report !== undefined,
  };
  return settings;
}

/** @throws SendonceError `FLAG_INVALID` for a kill that could never happen. */
export function checkKills(kills: readonly AcceptanceKill[], recipients: number): void {
  const late = kills.find(({ acceptance }) => acceptance > recipients);
  if (late === undefined) return;
  const allowed = `a number from 1 to ${recipients}, as there are ${recipients} recipients; the nearest is ${recipients}`;
  throw flagError('kill-at', String(late.acceptance), allowed);
}

/** Nothing that a shell or a file name could take for something else. */
export function parseSeed(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw flagError('seed', text, '1 to 64 letters, digits, dots, dashes or underscores');
}

function given<Value, Default>(
  text: string | undefined,
  parse: (text: string) => Value,
  otherwise: Default,
): Value | Default {
  return text === undefined ? otherwise : parse(text);
}
