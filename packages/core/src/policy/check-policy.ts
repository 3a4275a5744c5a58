import { UNKNOWN_ACTIONS } from '../model/classes.ts';
import { isSendonceError, reasonOf } from '../model/errors.ts';
import { invalid, numberIn, oneOf, refuseName } from '../options.ts';
import { CLASS_POLICIES, LOOKUP_RULES, OPT_OUT_RULES, type ClassPolicy, type RetryPolicy } from './policy.ts';
import { LONGEST_WAIT_MS } from './retry.ts';

export const POLICY_OPTIONS: readonly (keyof ClassPolicy)[] = Object.keys(
  CLASS_POLICIES.transactional,
) as (keyof ClassPolicy)[];

const WAIT = { least: 0, most: LONGEST_WAIT_MS };

type Check = (at: string, value: unknown) => void;

const CHECKS: Readonly<Record<keyof ClassPolicy, Check>> = {
  replayForMs(at, value) {
    if (!(typeof value === 'number' && value >= 0))
      invalid(`${at} must be 0 ms or more (Infinity: until the key window closes), got ${reasonOf(value)}`);
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
    if (typeof value !== 'boolean') invalid(`${at} must be true or false, got ${reasonOf(value)}`);
  },
};

/**
 * Checks the policy options that are given, by themselves.
 * @throws SendonceError CONFIG_INVALID naming the option, what came and what is allowed.
 */
export function checkPolicy(prefix: string, given: Partial<ClassPolicy>): void {
  for (const option of POLICY_OPTIONS)
    if (given[option] !== undefined) checkOne(`${prefix}${option}`, given[option], CHECKS[option]);
}

function checkOne(at: string, value: unknown, check: Check): void {
  try {
    check(at, value);
  } catch (thrown) {
    if (isSendonceError(thrown)) throw thrown;
    invalid(`${at} cannot be read: ${reasonOf(thrown)}`);
  }
}

const EXPONENTIAL: ReadonlySet<string> = new Set(['baseMs', 'factor', 'maxMs']);

function checkRetry(at: string, value: unknown): void {
  if (typeof value !== 'object' || value === null)
    invalid(`${at} must be { schedule } or { baseMs, factor, maxMs }, got ${reasonOf(value)}`);
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
      `${at} must be a list of at least one wait in ms, got ${Array.isArray(schedule) ? '[]' : reasonOf(schedule)}`,
    );
  schedule.forEach((wait, i) => numberIn(`${at}[${i}]`, wait, WAIT));
}
