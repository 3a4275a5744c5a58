import { grouped } from '../flags/parse-values.ts';
import { plural } from '../operate/words.ts';
import type { Terminal } from '../terminal.ts';
import { wordsLine } from '../progress-line.ts';
import type { SendLine, SendResult } from './send-line.ts';

/** Refusals written out in words; `--json` has a line for each. */
const MOST_TOLD = 20;

/** Tells what becomes of rows: ids on stdout, refusals and how far it is on stderr. */
export class Report {
  readonly counts: Record<SendResult, number> = { accepted: 0, repeated: 0, conflict: 0, failed: 0 };
  readonly #terminal: Terminal;
  readonly #isJson: boolean;
  readonly #begun = performance.now();
  readonly #line;

  constructor(terminal: Terminal, isJson: boolean) {
    this.#terminal = terminal;
    this.#isJson = isJson;
    this.#line = wordsLine(terminal);
  }

  get refused(): number {
    return this.counts.conflict + this.counts.failed;
  }

  tell(lines: readonly SendLine[]): void {
    const out: string[] = [];
    for (const line of lines) {
      this.counts[line.result] += 1;
      if (line.error !== null) this.#tellRefusal(line);
      if (this.#isJson) out.push(JSON.stringify(line));
      else if (line.error === null && line.id !== null) out.push(line.id);
    }
    if (out.length > 0) {
      // Where both are one terminal, an id must not end up behind the words.
      this.#line.clear();
      this.#terminal.out(`${out.join('\n')}\n`);
    }
    this.#line.tell(performance.now() - this.#begun, () => this.words);
  }

  /** `1,955 accepted, 15 rows refused`. */
  get words(): string {
    const { accepted, repeated } = this.counts;
    const parts = [
      accepted > 0 ? `${grouped(accepted)} accepted` : '',
      repeated > 0 ? `${grouped(repeated)} repeated` : '',
      this.refused > 0 ? `${plural(this.refused, 'row')} refused` : '',
    ].filter((part) => part !== '');
    return parts.length === 0 ? 'nothing to send' : parts.join(', ');
  }

  end(): void {
    this.#line.clear();
    const untold = this.refused - MOST_TOLD;
    if (untold > 0)
      this.#terminal.err(`... and ${grouped(untold)} more that were refused; --json has a line for each\n`);
  }

  #tellRefusal({ file, line, error }: SendLine): void {
    if (this.refused > MOST_TOLD) return;
    this.#line.clear();
    const where = line === null ? '' : `${file}:${line}: `;
    this.#terminal.err(`${where}${error?.code}: ${error?.message}\n`);
  }
}
