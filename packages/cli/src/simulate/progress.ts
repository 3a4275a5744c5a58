import type { Progress } from '@sendonce/chaos';
import type { Terminal } from '../terminal.ts';

const OVERWRITE_EVERY_MS = 100;
const FIRST_LINE_MS = 1_000;
const LINE_EVERY_MS = 10_000;
const CLEAR_LINE = '\r\u001b[2K';

export interface ProgressLine {
  update(progress: Progress): void;
  /** Shows any words in its place, where somebody watches. */
  show(words: string): void;
  /** Takes the line away again, so that it never mixes with the result. */
  clear(): void;
}

/** Progress on stderr: one line that overwrites itself where somebody watches, else a plain line after a second, then every ten. */
export function progressLine(terminal: Pick<Terminal, 'err' | 'watched'>): ProgressLine {
  const { watched } = terminal;
  let nextAtMs = watched ? OVERWRITE_EVERY_MS : FIRST_LINE_MS;
  let open = false;
  const show = (words: string): void => {
    if (!watched) return;
    open = true;
    terminal.err(CLEAR_LINE + words);
  };
  return {
    show,
    update(progress) {
      if (progress.wallMs < nextAtMs || progress.schedules === progress.ofSchedules) return;
      nextAtMs = progress.wallMs + (watched ? OVERWRITE_EVERY_MS : LINE_EVERY_MS);
      if (watched) show(progressWords(progress));
      else terminal.err(`${progressWords(progress)}\n`);
    },
    clear() {
      if (open) terminal.err(CLEAR_LINE);
      open = false;
    },
  };
}

export function progressWords({ schedules, ofSchedules, settled, wallMs }: Progress): string {
  const rate = wallMs > 0 ? Math.round((settled / wallMs) * 1_000) : 0;
  const of = ofSchedules === null ? '' : ` of ${grouped(ofSchedules)}`;
  return `${grouped(schedules)}${of} schedules, ${grouped(settled)} recipients settled, ${grouped(rate)}/s, ${Math.round(wallMs / 1_000)} s`;
}

function grouped(n: number): string {
  return n.toLocaleString('en');
}
