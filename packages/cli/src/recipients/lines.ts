import { TextDecoder } from 'node:util';

const LONGEST_LINE = 1_000_000;

/** A line of a file; null: too long to be a row, and not kept. */
export type Line = string | null;

export const TOO_LONG = 'is longer than 1,000,000 characters: a row is a line, so a line end may be missing';

/**
 * The lines of a text file, a group per chunk read, without their ends (LF, CRLF or CR). UTF-8, or UTF-16 where the file starts
 * with that byte order mark; bytes that are not text in it become U+FFFD. Nothing longer than a line is held.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[]> {
  let decoder: TextDecoder | null = null;
  const cutter = new Cutter();
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    const lines = cutter.add(decoder.decode(chunk, { stream: true }));
    if (lines.length > 0) yield lines;
  }
  const rest = cutter.end(decoder?.decode() ?? '');
  if (rest.length > 0) yield rest;
}

function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

/** Cuts what comes in at its line ends, wherever it comes in pieces. */
class Cutter {
  /** Of the line under way. */
  #rest = '';
  /** The line under way was told as too long already: what is left of it is no line. */
  #isSkipping = false;

  add(text: string): Line[] {
    const all = this.#rest + text;
    // A CR at the very end may be half of a CRLF.
    const whole = all.endsWith('\r') ? all.slice(0, -1) : all;
    const lines = this.#cut(whole);
    this.#rest += all.slice(whole.length);
    return lines;
  }

  end(text: string): Line[] {
    const lines = this.#cut(this.#rest + text);
    if (this.#rest !== '') lines.push(this.#rest);
    return lines;
  }

  #cut(text: string): Line[] {
    const pieces = text.split(/\r\n|\n|\r/);
    this.#rest = pieces.pop() ?? '';
    const lines = pieces.map((line) => (line.length > LONGEST_LINE ? null : line));
    if (this.#isSkipping && lines.length > 0) {
      lines.shift();
      this.#isSkipping = false;
    }
    if (this.#isSkipping || this.#rest.length > LONGEST_LINE) {
      if (!this.#isSkipping) lines.push(null);
      this.#isSkipping = true;
      this.#rest = '';
    }
    return lines;
  }
}
