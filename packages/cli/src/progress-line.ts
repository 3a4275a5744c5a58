import type { Terminal } from './terminal.ts';

const OVERWRITE_EVERY_MS = 100;
const FIRST_LINE_MS = 1_000;
const LINE_EVERY_MS = 10_000;
/** Takes back what stands on the last line of a terminal. */
export const CLEAR_LINE = '\r\u001b[2K';

export interface WordsLine {
  /** Shows any words in its place, where somebody watches. */
  readonly show: (words: string) => void;
  /** Says how far it is, if it is time for it. `wallMs`: since the start. */
  readonly tell: (wallMs: number, words: () => string) => void;
  /** When `tell` says something next, in ms from `wallMs`. */
  readonly dueInMs: (wallMs: number) => number;
  /** Takes the line away again, so that it never mixes with the result. */
  readonly clear: () => void;
}

/** Progress on stderr: one line that overwrites itself where somebody watches, else a plain line after a second, then every ten. */
export function wordsLine({ watched, err }: Pick<Terminal, 'err' | 'watched'>): WordsLine {
  let nextAtMs = watched ? OVERWRITE_EVERY_MS : FIRST_LINE_MS;
  let open = false;
  const show = (words: string): void => {
    if (!watched) return;
    open = true;
    err(CLEAR_LINE + words);
  };
  return {
    show,
    tell(wallMs, words) {
      if (wallMs < nextAtMs) return;
      nextAtMs = wallMs + (watched ? OVERWRITE_EVERY_MS : LINE_EVERY_MS);
      if (watched) show(words());
      else err(`${words()}\n`);
    },
    dueInMs: (wallMs) => Math.max(0, nextAtMs - wallMs),
    clear() {
      if (open) err(CLEAR_LINE);
      open = false;
    },
  };
}
