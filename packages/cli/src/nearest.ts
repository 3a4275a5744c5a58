/** The allowed word that was probably meant, or null when none is close. */
export function nearest(given: string, allowed: readonly string[]): string | null {
  const word = given.toLowerCase();
  const ranked = allowed.map((candidate) => ({ candidate, distance: distanceOf(word, candidate.toLowerCase()) }));
  const best = ranked.sort((a, b) => a.distance - b.distance)[0];
  const most = Math.max(1, Math.floor(word.length / 3));
  return best !== undefined && best.distance <= most ? best.candidate : null;
}

/** `one of a, b, c` and, where one is close, `Did you mean b?`. */
export function oneOf(given: string, allowed: readonly string[]): string {
  const close = nearest(given, allowed);
  return `one of ${allowed.join(', ')}.${close === null ? '' : ` Did you mean ${close}?`}`;
}

/** Edits between two words; two neighbours swapped count as one. */
function distanceOf(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const change = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (same ? 0 : 1));
      rows[i]?.push(swapped ? Math.min(change, at(i - 2, j - 2) + 1) : change);
    }
  }
  return at(a.length, b.length);
}
