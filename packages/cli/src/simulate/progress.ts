import type { Progress } from '@sendonce/chaos';
import { grouped } from '../flags/parse-values.ts';
import { plural } from '../operate/words.ts';
import { wordsLine, type WordsLine } from '../progress-line.ts';
import type { Terminal } from '../terminal.ts';

export { CLEAR_LINE } from '../progress-line.ts';

export interface ProgressLine extends Pick<WordsLine, 'show' | 'clear'> {
  update(progress: Progress): void;
}

/** How far a simulation is, on stderr. */
export function progressLine(terminal: Pick<Terminal, 'err' | 'watched'>): ProgressLine {
  const line = wordsLine(terminal);
  return {
    show: line.show,
    clear: line.clear,
    update(progress) {
      const isOver = progress.schedules === progress.ofSchedules && !progress.shrinking;
      if (!isOver) line.tell(progress.wallMs, () => progressWords(progress));
    },
  };
}

export function progressWords({ schedules, ofSchedules, settled, shrinking, wallMs }: Progress): string {
  const seconds = `${Math.round(wallMs / 1_000)} s`;
  if (shrinking) return `a schedule failed; looking for the smallest plan that fails, ${seconds}`;
  const rate = wallMs > 0 ? Math.round((settled / wallMs) * 1_000) : 0;
  const run =
    ofSchedules === null
      ? plural(schedules, 'schedule')
      : `${grouped(schedules)} of ${plural(ofSchedules, 'schedule')}`;
  return `${run}, ${plural(settled, 'recipient')} settled, ${grouped(rate)}/s, ${seconds}`;
}
