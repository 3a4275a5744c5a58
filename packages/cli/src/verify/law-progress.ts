import { wordsLine } from '../progress-line.ts';
import type { Terminal } from '../terminal.ts';
import type { Suite } from './suite.ts';

const LOOK_EVERY_MS = 100;

export interface LawProgress {
  /** One more law was judged. */
  readonly count: () => void;
  /** Takes the line away, so that it does not mix with the result. */
  readonly clear: () => void;
  readonly end: () => void;
}

/** Says on stderr how far it is, also while nothing is answered. */
export function lawProgress({ port }: Suite, laws: number, terminal: Terminal): LawProgress {
  const line = wordsLine(terminal);
  const startedAt = performance.now();
  let done = 0;
  const timer = setInterval(
    () => line.tell(performance.now() - startedAt, () => `${port}: ${done} of ${laws} laws`),
    LOOK_EVERY_MS,
  );
  return {
    count: () => void (done += 1),
    clear: () => line.clear(),
    end() {
      clearInterval(timer);
      line.clear();
    },
  };
}
