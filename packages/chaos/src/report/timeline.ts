import type { HistoryEvent } from '../history.ts';
import { count, cut, duration, pad, plural } from './format.ts';
import { plainPaint, type Paint } from './paint.ts';
import { collapse, rowsOf, trim, type Cell, type Line, type Row } from './timeline-rows.ts';
import { stepsOf, type Step } from './timeline-steps.ts';

export interface TimelineOptions {
  /** Delivery id to recipient (`r17`). */
  readonly recipientOf: Readonly<Record<string, string>>;
  /** The recipient that the reader wants to follow; everything about it is kept. */
  readonly focus?: string | null;
  /** @defaultValue 60 */
  readonly maxLines?: number;
  readonly paint?: Paint;
}

/** The name in which faults are reported. */
const HARNESS = 'plan';
const WIDEST_CELL = 40;

/** A table with a column per actor and a line per instant, oldest first. Times count from the first event. */
export function timeline(events: readonly HistoryEvent[], options: TimelineOptions): string[] {
  const { recipientOf, focus = null, maxLines = 60, paint = plainPaint } = options;
  const start = events[0]?.at ?? 0;
  const nameOf = (id: string): string => recipientOf[id] ?? (id.startsWith('n_') ? 'the fan-out' : id.slice(0, 6));
  const rows = rowsOf(placed(events.flatMap((event) => stepsOf(event, nameOf))), focus);
  const lines = trim(collapse(rows), maxLines);
  const columns = columnsOf(lines);
  const widths = columns.map((column) => widthOfColumn(column, lines));
  const head = ['time'.padEnd(9), ...columns.map((column, i) => pad(column, widths[i] ?? 0))].join('  ').trimEnd();
  const body = lines.map((line) => lineText(line, { columns, widths, start, paint }));
  return lines.length === 0 ? [] : [paint.bold(head), ...body];
}

/** The harness reports faults in its own name: shown is whom they struck, else who was last at work on the recipient. */
function placed(steps: readonly Step[]): Step[] {
  const lastAt = new Map<string, string>();
  return steps.map((step) => {
    const { column, about } = step;
    if (column !== HARNESS) {
      if (column !== null && about !== null && !isProvider(column)) lastAt.set(about, column);
      return step;
    }
    const struck = about !== null && !/^r\d+$/.test(about) ? about : lastAt.get(about ?? '');
    return { ...step, column: struck ?? null };
  });
}

interface Layout {
  readonly columns: readonly string[];
  readonly widths: readonly number[];
  readonly start: number;
  readonly paint: Paint;
}

function lineText(line: Line, layout: Layout): string {
  const { start, paint } = layout;
  switch (line.kind) {
    case 'row':
      return rowText(line.row, layout);
    case 'repeated': {
      const what = line.rows === 1 ? 'the same' : `these ${line.rows} lines`;
      return paint.dim(
        `${' '.repeat(9)}  … ${what} ${plural(line.times, 'time')} more, until ${clock(line.until - start)}`,
      );
    }
    case 'left-out':
      return paint.dim(`${' '.repeat(9)}  … ${plural(line.rows, 'line')} left out`);
  }
}

function rowText(row: Row, { columns, widths, start, paint }: Layout): string {
  const time = pad(clock(row.at - start), 9);
  const across = row.cells.get('');
  const loud = (text: string): string => (/^(--- )?[✕!]/.test(text) ? paint.red(text) : text);
  if (across !== undefined) return `${time}  ${loud(`--- ${[across.words, ...new Set(across.about)].join(' ')} ---`)}`;
  const cells = columns.map((column, i) => {
    const cell = row.cells.get(column);
    const text = cell === undefined ? '' : cellText(cell);
    return i === columns.length - 1 ? loud(text) : pad(loud(text), widths[i] ?? 0);
  });
  return [time, ...cells].join('  ').trimEnd();
}

function cellText({ words, about }: Cell): string {
  const names = [...new Set(about)];
  const [first = '', second] = names;
  const whom =
    second === undefined ? first : names.length === 2 ? `${first}, ${second}` : `${first} … (${count(names.length)})`;
  return cut(`${words} ${whom}`.trimEnd(), WIDEST_CELL);
}

function widthOfColumn(column: string, lines: readonly Line[]): number {
  const cells = lines.flatMap((line) => (line.kind === 'row' ? (line.row.cells.get(column) ?? []) : []));
  return Math.max(column.length, ...cells.map((cell) => [...cellText(cell)].length));
}

/** Producer first, workers by number, whoever else, providers last. */
function columnsOf(lines: readonly Line[]): string[] {
  const names = new Set(lines.flatMap((line) => (line.kind === 'row' ? [...line.row.cells.keys()] : [])));
  names.delete('');
  const rank = (name: string): number => (name === 'producer' ? 0 : /^w\d/.test(name) ? 1 : isProvider(name) ? 3 : 2);
  return [...names].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en', { numeric: true }));
}

/** `0.042`, `1:12.500`, `14:05:00`: hours and minutes only where there are some. */
export function clock(ms: number): string {
  const seconds = (ms % 60_000) / 1_000;
  const minutes = Math.floor(ms / 60_000) % 60;
  const hours = Math.floor(ms / 3_600_000);
  if (ms >= 100 * 3_600_000) return duration(ms);
  if (hours > 0) return `${hours}:${two(minutes)}:${two(Math.floor(seconds))}`;
  return minutes > 0 ? `${minutes}:${seconds.toFixed(3).padStart(6, '0')}` : seconds.toFixed(3);
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}

function isProvider(column: string): boolean {
  return /^p\d/.test(column);
}
