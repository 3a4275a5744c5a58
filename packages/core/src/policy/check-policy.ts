import { UNKNOWN_ACTIONS } from '../model/classes.ts';
import { invalid, numberIn, oneOf, refuseName } from '../options.ts';
import { CLASS_POLICIES, LOOKUP_RULES, OPT_OUT_RULES, type ClassPolicy, type RetryPolicy } from './policy.ts';

export const POLICY_OPTIONS: readonly (keyof ClassPolicy)[] = Object.keys(
  CLASS_POLICIES.transactional,
) as (keyof ClassPolicy)[];

/** A year: longer than any delivery is worth waiting for, ms. */
const LONGEST_WAIT_MS = 365 * 86_400_000;
const WAIT = { least: 0, most: LONGEST_WAIT_MS };

type Check = (at: string, value: unknown) => void;

const CHECKS: Readonly<Record<keyof ClassPolicy, Check>> = {
  replayForMs(at, value) {
    if (!(typeof value === 'number' && value >= 0))
      invalid(`${at} must be 0 ms or more (Infinity: until the key window closes), got ${String(value)}`);
  },
  lookup: (at, value) => oneOf(at, value, LOOKUP_RULES),
  onUnknown: (at, value) => oneOf(at, value, UNKNOWN_ACTIONS),
  expiresInMs(at, value) {
    // Null, no default, is a class's to say; a type of that class then has to name its own.
    if (value === null) return;
    if (!(typeof value === 'number' && value > 0))
      invalid(`${at} must be more than 0 ms, got ${typeof value === 'number' ? value : typeof value}`);
    if (!Number.isFinite(value)) invalid(`${at} must be a finite number of ms, got ${value}`);
  },
  maxAttempts: (at, value) => numberIn(at, value, { least: 1, most: 100, whole: true }),
  retry: checkRetry,
  optOut: (at, value) => oneOf(at, value, OPT_OUT_RULES),
  failoverOnNotSent(at, value) {
    if (typeof value !== 'boolean') invalid(`${at} must be true or false, got ${String(value)}`);
  },
};

/**
 * Checks the policy options that are given, by themselves.
 * @throws SendonceError CONFIG_INVALID naming the option, what came and what is allowed.
 */
export function checkPolicy(prefix: string, given: Partial<ClassPolicy>): void {
  for (const option of POLICY_OPTIONS)
    if (given[option] !== undefined) CHECKS[option](`${prefix}${option}`, given[option]);
}

const EXPONENTIAL: ReadonlySet<string> = new Set(['baseMs', 'factor', 'maxMs']);

function checkRetry(at: string, value: unknown): void {
  if (typeof value !== 'object' || value === null)
    invalid(`${at} must be { schedule } or { baseMs, factor, maxMs }, got ${String(value)}`);
  const retry = value as RetryPolicy;
  if ('schedule' in retry) {
    checkSchedule(`${at}.schedule`, retry.schedule);
    return;
  }
  for (const name in retry)
    if (!EXPONENTIAL.has(name)) refuseName(`${at}.${name}`, name, ['schedule', ...EXPONENTIAL], 'an option');
  numberIn(`${at}.baseMs`, retry.baseMs, { least: 1, most: LONGEST_WAIT_MS });
  numberIn(`${at}.factor`, retry.factor, { least: 1, most: 1_000 });
  numberIn(`${at}.maxMs`, retry.maxMs, { least: retry.baseMs, most: LONGEST_WAIT_MS });
}

function checkSchedule(at: string, schedule: unknown): void {
  if (!Array.isArray(schedule) || schedule.length === 0)
    invalid(
      `${at} must be a list of at least one wait in ms, got ${Array.isArray(schedule) ? '[]' : String(schedule)}`,
    );
  schedule.forEach((wait, i) => numberIn(`${at}[${i}]`, wait, WAIT));
}
