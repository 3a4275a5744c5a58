import { statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { Channel } from '@sendonce/core';
import { harnessFailed } from './harness-failed.ts';

/** One message that really arrived, as a line of JSON. */
export interface MailboxLine {
  /** 1 for the first message of all. */
  readonly n: number;
  /** Epoch ms of the run's clock. */
  readonly at: number;
  readonly provider: string;
  readonly channel: Channel;
  /** The provider's own id for it. */
  readonly id: string;
  readonly deliveryId: string;
  readonly to: string;
  readonly key: string;
  readonly attempt: number;
  /** Hash of the content that arrived. */
  readonly body: string;
  readonly worker: string;
}

export interface MailboxFile {
  /** Resolves when the line is on the disk: only then may anybody be told that the message was accepted. */
  append(line: MailboxLine): Promise<void>;
  close(): Promise<void>;
}

/** Opens a mailbox for appending. Lines that wait for the disk at the same time share one fsync. */
export async function openMailbox(path: string): Promise<MailboxFile> {
  const file = await open(path, 'a');
  let waiting: string[] = [];
  let next: Promise<void> | null = null;
  let under: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    const after = under.then(async () => {
      const text = waiting.join('');
      waiting = [];
      next = null;
      await file.appendFile(text);
      await file.datasync();
    });
    // A write that failed fails its own lines, not those after it.
    under = after.catch(() => undefined);
    return after;
  }

  return {
    append(line) {
      waiting.push(`${JSON.stringify(line)}\n`);
      return (next ??= flush());
    },
    async close() {
      await under;
      await file.close();
    },
  };
}

/** How much has arrived. @throws SendonceError HARNESS_FAILED when somebody removed it */
export function mailboxBytes(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    return gone(error);
  }
}

function gone(error: unknown): never {
  throw harnessFailed('the mailbox of the run is gone', error);
}

/**
 * Every message, oldest first. A last line that was cut short by a death was never answered for: it is no message.
 * @throws SendonceError HARNESS_FAILED when somebody removed it
 */
export async function readMailbox(path: string): Promise<readonly MailboxLine[]> {
  const text = await readFile(path, 'utf8').catch(gone);
  const lines = text.split('\n');
  // Behind the last line end there is nothing, or what a kill left of a line.
  lines.pop();
  return lines.map((line) => JSON.parse(line) as MailboxLine);
}
