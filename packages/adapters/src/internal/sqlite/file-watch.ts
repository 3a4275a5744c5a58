import { statSync } from 'node:fs';
import { SendonceError } from '@sendonce/core';

const WATCH_MS = 1_000;

/**
 * A file that was removed or replaced under an open connection would go on being written, for nobody to read. The answer is called
 * before each use, and looks once a second.
 * @throws SendonceError LEDGER_UNAVAILABLE from the answer, when the file is not the one that was opened any more.
 */
export function fileWatch(path: string | null, file: string): () => void {
  if (path === null) return () => undefined;
  const { ino } = statSync(path);
  let nextAt = 0;
  return () => {
    const at = performance.now();
    if (at < nextAt) return;
    if (statSync(path, { throwIfNoEntry: false })?.ino !== ino)
      throw new SendonceError(
        'LEDGER_UNAVAILABLE',
        `'${file}' was removed or replaced while it was open; stop every process that uses it, see that the right file is there, then start them again`,
      );
    nextAt = at + WATCH_MS;
  };
}
