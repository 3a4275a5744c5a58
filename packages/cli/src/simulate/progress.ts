import type { Progress } from '@sendonce/chaos';
import type { Terminal } from '../terminal.ts';

const OVERWRITE_EVERY_MS = 100;
const FIRST_LINE_MS = 1_000;
const LINE_EVERY_MS = 10_000;
const CLEAR_LINE = '\r\u001b[2K';

export interface ProgressLine {
  update(progress: Progress): void;
  /** Takes the line away again, so that it never mixes with the result. */
  clear(): void;
}

/** Progress on stderr: one line that overwrites itself where somebody watches, else a plain line after a second, then every ten. */
export function progressLine(terminal: Pick<Terminal, 'err' | 'watched'>): ProgressLine {
  const { watched } = terminal;
  let nextAtMs = watched ? OVERWRITE_EVERY_MS : FIRST_LINE_MS;
  let open = false;
  return {
    update(progress) {
      if (progress.wallMs < nextAtMs) return;
      nextAtMs = progress.wallMs + (watched ? OVERWRITE_EVERY_MS : LINE_EVERY_MS);
      open = watched;
      terminal.err(watched ? `${CLEAR_LINE}${progressWords(progress)}` : `${progressWords(progress)}\n`);
    },
    clear() {
      if (open) terminal.err(CLEAR_LINE);
      open = false;
    },
  };
}

export function progressWords({ schedules, ofSchedules, settled, wallMs }: Progress): string {
  const rate = wallMs > 0 ? Math.round((settled / wallMs) * 1_000) : 0;
  const of = ofSchedules === null ? '' : ` of ${ofSchedules.toLocaleString('en')}`;
  const seconds = (wallMs / 1_000).toFixed(0);
  return `${schedules.toLocaleString('en')}${of} schedules, ${settled.toLocaleString('en')} recipients settled, ${rate.toLocaleString('en')}/s, ${seconds} s`;
}
