/** `12345` as `12,345`; the same on every machine, whatever its locale. */
export function count(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 worker`, `4 workers`. */
export function plural(n: number, word: string, words: string = `${word}s`): string {
  return `${count(n)} ${n === 1 ? word : words}`;
}

/** `1st`, `2nd`, `800th`. */
export function ordinal(n: number): string {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${count(n)}${ending}`;
}

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
];

/** `840000` as `14 min`, `1500` as `1.5 s`, `12` as `12 ms`: at most one digit after the point. */
export function duration(ms: number): string {
  for (const [unit, name] of UNITS) {
    if (ms >= unit) return `${Math.round((ms / unit) * 10) / 10} ${name}`;
  }
  return `${Math.round(ms)} ms`;
}

/** A sentence whose times are raw ms, each of a second or more in words. */
export function withDurations(text: string): string {
  return text.replace(/\b(\d{4,}) ms\b/g, (_, ms: string) => duration(Number(ms)));
}

/** The first `max` items, one a line, then how many are left out and where they are. */
export function firstOf(items: readonly string[], max: number, where: string): string[] {
  if (items.length <= max) return [...items];
  return [...items.slice(0, max), `and ${count(items.length - max)} more; ${where}`];
}

const ANSI = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** Columns that the text takes on a terminal, colours not counted. */
export function widthOf(text: string): number {
  return [...text.replace(ANSI, '')].length;
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Cut to `width` with an ellipsis. */
export function cut(text: string, width: number): string {
  const letters = [...text];
  return letters.length <= width ? text : `${letters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

/** Lines of at most `width` columns, broken at spaces. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
