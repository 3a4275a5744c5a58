import { nearestTo as nearest } from '@sendonce/core/internal';

export { nearest };

/** `unknown: did you mean b? Known: a, b, c`; what was meant comes before a list that may be long. */
export function unknownAmong(given: string, allowed: readonly string[]): string {
  const close = nearest(given, allowed);
  return `unknown${close === null ? '.' : `: did you mean ${close}?`} Known: ${allowed.join(', ')}`;
}
