import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSendonceError, SendonceError } from '@sendonce/core';
import { systemClock } from '@sendonce/core/system';

/** What a run would still like to write: less room than this is none, bytes. */
const ROOM = 256 * 1_024;

/** Whoever removes a folder is through with it by then, ms. */
const REMOVED_BY_MS = 500;

/** The run itself could not be carried out, so that nothing is known about the sender. */
export function harnessFailed(what: string, cause: unknown): SendonceError {
  const said = wordsOf(cause);
  const message = `${what}${said === '' ? '' : `: ${said}`}. Nothing is known about the sender: mend that, and run it again`;
  return new SendonceError('HARNESS_FAILED', message, { cause });
}

/** Says so where there is no room left in a folder: whatever is missing in the end is nobody's fault but the disk's. @throws SendonceError HARNESS_FAILED */
export function checkRoom(folders: readonly string[]): void {
  for (const folder of new Set(folders)) {
    const file = join(folder, `room-${process.pid}`);
    try {
      writeFileSync(file, Buffer.alloc(ROOM));
    } catch (error) {
      throw harnessFailed(`${folder} cannot be written while the run is under way`, error);
    } finally {
      rmSync(file, { force: true });
    }
  }
}

/** What went wrong because the run lost its folder, or the room in it, as what it is: it says nothing about the sender. */
export async function asHarness(error: unknown, folder: string): Promise<unknown> {
  if (isSendonceError(error, 'HARNESS_FAILED')) return error;
  // A folder goes file by file, and the ledger in it may be the first that is missed.
  if (isSendonceError(error) && error.code.startsWith('LEDGER_')) await systemClock.sleep(REMOVED_BY_MS);
  if (!existsSync(folder)) return harnessFailed(`the folder of the run, ${folder}, was removed under it`, error);
  if (!isSendonceError(error, 'LEDGER_FULL')) return error;
  return harnessFailed('the ledger of the run cannot be written', error);
}

export function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
