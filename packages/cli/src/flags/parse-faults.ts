import { flagError } from './flag-error.ts';
import { likely } from './likely.ts';

/** Profiles and kinds, separated by commas; a kind may name its call: `reply-lost@provider.send`. */
export function parseFaults(given: string, allowed: readonly string[]): string[] {
  const words = given.split(',').map((word) => word.trim().toLowerCase());
  const wrong = words.find((word) => !allowed.includes(nameOf(word)));
  if (wrong === undefined) return words;
  throw flagError(
    'faults',
    given,
    `words separated by commas, each one of ${allowed.join(', ')}`,
    likely(nameOf(wrong), allowed),
  );
}

function nameOf(word: string): string {
  return word.split('@')[0] ?? '';
}
