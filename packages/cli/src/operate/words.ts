import { grouped } from '../flags/parse-values.ts';

/** `1 dead letter`, `2,000 dead letters`. */
export function plural(n: number, word: string, words = `${word}s`): string {
  return `${grouped(n)} ${n === 1 ? word : words}`;
}

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
];

/** A time in its two largest units: `2 d 3 h`, `5 min`, `0 s`. */
export function span(ms: number): string {
  const at = UNITS.findIndex(([unit]) => ms >= unit);
  const [unit, name] = UNITS[at] ?? [1_000, 's'];
  const whole = Math.floor(Math.max(0, ms) / unit);
  const [smaller, smallerName] = UNITS[at + 1] ?? [1, ''];
  const rest = at < 0 || smallerName === '' ? 0 : Math.floor((ms - whole * unit) / smaller);
  return rest === 0 ? `${whole} ${name}` : `${whole} ${name} ${rest} ${smallerName}`;
}

/** `3 h ago`, `in 5 min`, `now`. */
export function relative(at: number, now: number): string {
  if (Math.abs(at - now) < 1_000) return 'now';
  return at < now ? `${span(now - at)} ago` : `in ${span(at - now)}`;
}

export function absolute(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

/** Both: `2026-03-01T02:14:00Z, 3 h ago`. */
export function when(at: number, now: number): string {
  return `${absolute(at)}, ${relative(at, now)}`;
}

/** Rows as columns, two spaces apart; the last one is as long as it likes. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, lengthOf(cell))));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell + ' '.repeat((widths[at] ?? 0) - lengthOf(cell))))
      .join('  ')
      .trimEnd(),
  );
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** Cut to `width` characters with an ellipsis, and one line. */
export function cut(text: string, width: number): string {
  const letters = [...text.replace(/\s+/g, ' ')];
  return letters.length <= width ? letters.join('') : `${letters.slice(0, width - 1).join('')}…`;
}

/** A block of a report: the name once, its lines beside it. */
export function block(name: string, lines: readonly string[]): string[] {
  return lines.map((line, at) => `  ${(at === 0 ? name : '').padEnd(9)} ${line}`);
}
