/** What no text of a row may hold: what was not read as it was meant, or cannot be stored; null: nothing. */
export function textProblem(text: string): string | null {
  if (text.includes('\0'))
    return 'has NUL characters; the file is perhaps UTF-16 without a byte order mark: save it as UTF-8';
  if (text.includes('\ufffd')) return 'has bytes that are not UTF-8; the file is perhaps Latin-1: save it as UTF-8';
  return surrogateProblem(text);
}

/** The same of a text that was written with escapes: there, whoever wrote the file meant it. */
export function escapeProblem(text: string): string | null {
  if (text.includes('\0')) return 'has the escape \\u0000 (NUL), which not every store keeps: leave it out';
  if (text.includes('\ufffd'))
    return 'has the escape \\ufffd, which stands for a character that was lost before: write the one that was meant';
  return surrogateProblem(text);
}

function surrogateProblem(text: string): string | null {
  return /\p{Surrogate}/u.test(text) ? 'has half of a character (a lone surrogate), which no store keeps' : null;
}
