import { SendonceError } from './model/errors.ts';

/** @throws SendonceError CONFIG_INVALID */
export function invalid(message: string): never {
  throw new SendonceError('CONFIG_INVALID', message);
}

/** Refuses an option that is not one, and names what it was probably meant to be. */
export function checkNames(prefix: string, given: object, known: ReadonlySet<string>): void {
  for (const name in given) if (!known.has(name)) refuseName(`${prefix}${name}`, name, known, 'an option');
}

/** @throws SendonceError CONFIG_INVALID that lists what is known, nearest first. */
export function refuseName(at: string, name: string, known: Iterable<string>, what: string): never {
  const names = [...known];
  const nearest = nearestTo(name, names);
  invalid(`${at} is not ${what}; known: ${names.join(', ')}${nearest === null ? '' : `. Did you mean '${nearest}'?`}`);
}

/** Refuses a value that is none of a closed set. */
export function oneOf(at: string, value: unknown, allowed: readonly string[]): void {
  if (!allowed.includes(value as string)) invalid(`${at} must be one of ${allowed.join(', ')}, got ${String(value)}`);
}

export interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly whole?: boolean;
}

/** Refuses what is no number within the bounds (both included). */
export function numberIn(at: string, value: unknown, { least, most, whole = false }: Bounds): void {
  const fits = typeof value === 'number' && value >= least && value <= most && (!whole || Number.isInteger(value));
  if (!fits) invalid(`${at} must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}, got ${String(value)}`);
}

/** Refuses anything but a function; undefined is let through where the function may be left out. */
export function functionAt(at: string, value: unknown, required: boolean): void {
  if (typeof value === 'function' || (value === undefined && !required)) return;
  invalid(`${at} must be a function, got ${String(value)}`);
}

/** The known name that is at most a third of its letters away, or null. */
function nearestTo(name: string, known: readonly string[]): string | null {
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

/** Letters to insert, drop or change (Levenshtein). */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, changed));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
