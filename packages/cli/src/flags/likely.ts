import { nearest } from '../nearest.ts';

/** Which of a closed set was probably meant: what begins with it, else the nearest; null: who knows. */
export function likely(given: string, allowed: readonly string[]): string | null {
  const start = given.trim().toLowerCase();
  const begun = start === '' ? undefined : allowed.find((word) => word.startsWith(start));
  return begun ?? nearest(given, allowed);
}
