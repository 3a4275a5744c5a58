import { TextDecoder } from 'node:util';
import { SendonceError } from '@sendonce/core';

const LONGEST_LINE = 1_000_000;

/**
 * The lines of a text file, a group per chunk read, without their ends (LF, CRLF or CR). UTF-8, or UTF-16 where the file starts
 * with that byte order mark; bytes that are not text in it become U+FFFD.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  let decoder: TextDecoder | null = null;
  let rest = '';
  let before = 0;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    const text = rest + decoder.decode(chunk, { stream: true });
    // A CR at the very end may be half of a CRLF.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + text.slice(whole.length);
    before += lines.length;
    if (rest.length > LONGEST_LINE) throw tooLong(before + 1);
    if (lines.length > 0) yield lines;
  }
  rest += decoder?.decode() ?? '';
  if (rest !== '') yield rest.split(/\r\n|\n|\r/);
}

function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

function tooLong(line: number): SendonceError {
  return new SendonceError(
    'RECIPIENTS_FILE_INVALID',
    `line ${line} is longer than 1,000,000 characters: this is no list with a row a line`,
  );
}
