import type { WordsLine } from '../progress-line.ts';

/**
 * How much is done, whenever something was and it is time for a line. What is sent at once after a long rest is told when it is over as
 * well, not with its first delivery alone.
 */
export class Progress {
  readonly #line: WordsLine;
  readonly #words: () => string;
  readonly #begun = performance.now();
  #timer: NodeJS.Timeout | null = null;
  #told = '';

  constructor(line: WordsLine, words: () => string) {
    this.#line = line;
    this.#words = words;
  }

  moved(): void {
    // A timer may fire a fraction of a millisecond early, and would say nothing.
    this.#timer ??= setTimeout(() => this.#tell(), this.#line.dueInMs(this.#wallMs) + 1).unref();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  get #wallMs(): number {
    return performance.now() - this.#begun;
  }

  #tell(): void {
    this.#timer = null;
    const words = this.#words();
    if (words !== this.#told) this.#line.tell(this.#wallMs, () => words);
    this.#told = words;
  }
}
