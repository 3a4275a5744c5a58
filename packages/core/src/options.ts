import { reasonOf, SendonceError, type ErrorCode } from './model/errors.ts';

/** @throws SendonceError CONFIG_INVALID, or the given code. */
export function invalid(message: string, code: ErrorCode = 'CONFIG_INVALID'): never {
  throw new SendonceError(code, message);
}

/** What an option may be, in words and as a test. */
export interface Rule {
  /** After "must be": `a text of 1 to 512 characters`. */
  readonly must: string;
  fits(value: unknown): boolean;
  /** An option that may not be left out. */
  readonly required?: true;
  /** What came is not shown: it may be a secret. */
  readonly hidden?: true;
}
export type Rules = Readonly<Record<string, Rule>>;

/**
 * Checks an object of options against its table: no names but those of the table, nothing missing that is required, every value as it
 * must be. What is undefined counts as left out.
 * @throws SendonceError CONFIG_INVALID, or the given code, naming the option, what came and what is allowed.
 */
export function checkOptions(prefix: string, given: object, rules: Rules, code: ErrorCode = 'CONFIG_INVALID'): void {
  for (const name in given)
    if (!Object.hasOwn(rules, name)) refuseName(`${prefix}${name}`, name, Object.keys(rules), 'an option', code);
  for (const name in rules) {
    const value = (given as Record<string, unknown>)[name];
    const rule = rules[name]!;
    if (value === undefined ? rule.required === true : !rule.fits(value))
      invalid(`${prefix}${name} must be ${rule.must}, got ${rule.hidden ? kindOf(value) : shown(value)}`, code);
  }
}

function kindOf(value: unknown): string {
  return typeof value === 'string' ? `a text of ${value.length} characters` : `something of type ${typeof value}`;
}

/** A value as an error names it: a text in quotes, so that '5' and 5 are not the same. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value === '' ? '' : reasonOf(value)}'` : reasonOf(value);
}

/** Whether it is an object that may hold options or methods. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textRule(most: number): Rule {
  const fits = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= most;
  return { must: `a text of 1 to ${most} characters`, fits };
}

export function oneOfRule(allowed: readonly string[]): Rule {
  return { must: `one of ${allowed.join(', ')}`, fits: (value) => allowed.includes(value as string) };
}

export function numberRule(bounds: Bounds, unit = ''): Rule {
  return {
    must: `a ${bounds.whole === true ? 'whole ' : ''}number from ${bounds.least} to ${bounds.most}${unit}`,
    fits: (value) => isNumberIn(value, bounds),
  };
}

export const BOOLEAN_RULE: Rule = { must: 'true or false', fits: (value) => typeof value === 'boolean' };

export const FUNCTION_RULE: Rule = { must: 'a function', fits: (value) => typeof value === 'function' };

/** Refuses an option that is not one, and names what it was probably meant to be. */
export function checkNames(prefix: string, given: object, known: ReadonlySet<string>): void {
  for (const name in given) if (!known.has(name)) refuseName(`${prefix}${name}`, name, known, 'an option');
}

/** @throws SendonceError CONFIG_INVALID, or the given code, that lists what is known and says what was probably meant. */
export function refuseName(
  at: string,
  name: string,
  known: Iterable<string>,
  what: string,
  code: ErrorCode = 'CONFIG_INVALID',
): never {
  const names = [...known];
  const nearest = nearestTo(name, names);
  const meant = nearest === null ? '' : `. Did you mean '${nearest}'?`;
  invalid(`${at} is not ${what}; known: ${names.join(', ')}${meant}`, code);
}

/** Refuses a value that is none of a closed set. */
export function oneOf(at: string, value: unknown, allowed: readonly string[]): void {
  if (!allowed.includes(value as string)) invalid(`${at} must be one of ${allowed.join(', ')}, got ${reasonOf(value)}`);
}

export interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly whole?: boolean;
}

function isNumberIn(value: unknown, { least, most, whole = false }: Bounds): boolean {
  return typeof value === 'number' && value >= least && value <= most && (!whole || Number.isInteger(value));
}

/** Refuses what is no number within the bounds (both included). */
export function numberIn(at: string, value: unknown, bounds: Bounds): void {
  if (!isNumberIn(value, bounds)) invalid(`${at} must be ${numberRule(bounds).must}, got ${shown(value)}`);
}

/** Refuses anything but a function; undefined is let through where the function may be left out. */
export function functionAt(at: string, value: unknown, required: boolean): void {
  if (typeof value === 'function' || (value === undefined && !required)) return;
  invalid(`${at} must be a function, got ${shown(value)}`);
}

/** The known name that is at most a third of its letters away, or null. Two neighbours swapped count as one. */
export function nearestTo(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let least = Infinity;
  for (const each of known) {
    const distance = editsBetween(name.toLowerCase(), each.toLowerCase());
    if (distance >= least || distance > Math.ceil(each.length / 3)) continue;
    least = distance;
    best = each;
  }
  return best;
}

/** Letters to insert, drop, change, or swap with their neighbour (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  // Of two words that differ so much in length, or are no names at all, none is a slip of the other.
  if (Math.abs(a.length - b.length) > b.length) return Infinity;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, changed, swapped));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
