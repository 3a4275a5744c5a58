import type { Step } from './timeline-steps.ts';

export interface Cell {
  readonly words: string;
  readonly about: readonly string[];
}

/** One line: what happened at one instant, by column. `''` is the column of lines that go across. */
export interface Row {
  readonly at: number;
  readonly cells: ReadonlyMap<string, Cell>;
  readonly loud: boolean;
}

/** What the table shows: a row, a run of rows that repeats, or rows left out. */
export type Line =
  | { readonly kind: 'row'; readonly row: Row }
  | { readonly kind: 'repeated'; readonly rows: number; readonly times: number; readonly until: number }
  | { readonly kind: 'left-out'; readonly rows: number };

/** Joins what one actor says at one instant, and puts different actors of one instant on one row, in the order of the steps. */
export function rowsOf(steps: readonly Step[], focus: string | null): Row[] {
  const rows: { at: number; cells: Map<string, { words: string; about: string[] }>; loud: boolean }[] = [];
  for (const step of steps) {
    const column = step.column ?? '';
    const last = rows.at(-1);
    const loud = step.loud || (step.about !== null && step.about === focus);
    const about = step.about === null ? [] : [step.about];
    const cell = last?.cells.get(column);
    if (last?.at === step.at && cell?.words === step.words) {
      cell.about.push(...about);
      last.loud ||= loud;
    } else if (last?.at === step.at && cell === undefined && column !== '' && !last.cells.has('')) {
      last.cells.set(column, { words: step.words, about });
      last.loud ||= loud;
    } else {
      rows.push({ at: step.at, cells: new Map([[column, { words: step.words, about }]]), loud });
    }
  }
  return rows;
}

const LONGEST_PERIOD = 8;

/** Shows a run of rows that says the same again and again (whoever it is about) once, with how often. */
export function collapse(rows: readonly Row[]): Line[] {
  const signs = rows.map(signOf);
  const lines: Line[] = [];
  let i = 0;
  while (i < rows.length) {
    const { period, times } = repetitionAt(signs, i);
    const block = rows.slice(i, i + period);
    // What the reader looks for may happen twice and be shown twice: only a third time is "again".
    const enough = block.some((row) => row.loud) ? 3 : 2;
    const repeats = times >= enough;
    const shown = repeats ? block : block.slice(0, 1);
    lines.push(...shown.map((row): Line => ({ kind: 'row', row })));
    if (repeats) {
      const end = rows[i + period * times - 1];
      lines.push({ kind: 'repeated', rows: period, times: times - 1, until: end?.at ?? 0 });
    }
    i += repeats ? period * times : 1;
  }
  return lines;
}

function signOf(row: Row): string {
  return [...row.cells].map(([column, cell]) => `${column}\u0000${cell.words.replace(/\d+/g, '#')}`).join('\u0001');
}

function repetitionAt(signs: readonly string[], start: number): { period: number; times: number } {
  let best = { period: 1, times: 1 };
  for (let period = 1; period <= LONGEST_PERIOD; period++) {
    const times = timesOf(signs, start, period);
    if ((times - 1) * period > (best.times - 1) * best.period) best = { period, times };
  }
  return best;
}

function timesOf(signs: readonly string[], start: number, period: number): number {
  let length = period;
  while (start + length < signs.length && signs[start + length] === signs[start + (length % period)]) length++;
  return Math.floor(length / period);
}

/** At most `max` lines: the loud ones with their neighbours, the first and the last; gaps say how much is left out. */
export function trim(lines: readonly Line[], max: number): Line[] {
  if (lines.length <= max) return [...lines];
  for (const around of [3, 1, 0]) {
    const shown = shorten(lines, nearLoud(lines, around));
    if (shown.length <= max) return shown;
  }
  const half = Math.floor((max - 1) / 2);
  return shorten(lines, new Set([...lines.keys()].filter((i) => i < half || i >= lines.length - half)));
}

function nearLoud(lines: readonly Line[], around: number): ReadonlySet<number> {
  const kept = new Set([0, 1, 2, lines.length - 2, lines.length - 1]);
  lines.forEach((line, i) => {
    if (line.kind !== 'row' || !line.row.loud) return;
    for (let near = i - around; near <= i + around; near++) kept.add(near);
  });
  return kept;
}

function shorten(lines: readonly Line[], kept: ReadonlySet<number>): Line[] {
  const shown: Line[] = [];
  let rows = 0;
  lines.forEach((line, i) => {
    if (!kept.has(i)) {
      rows += line.kind === 'row' ? 1 : 0;
      return;
    }
    if (rows > 0) shown.push({ kind: 'left-out', rows });
    rows = 0;
    shown.push(line);
  });
  return shown;
}
