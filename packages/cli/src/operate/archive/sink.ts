import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SendonceError } from '@sendonce/core';
import { flagError } from '../../flags/flag-error.ts';
import type { Terminal } from '../../terminal.ts';

/** Where an archive goes. */
export interface Sink {
  readonly write: (text: string) => Promise<void>;
  /** It is whole: only now it has its name. */
  readonly finish: () => Promise<void>;
  /** It is not: nothing of it is left. */
  readonly abandon: () => Promise<void>;
}

const NO_SINK: Sink = {
  write: () => Promise.resolve(),
  finish: () => Promise.resolve(),
  abandon: () => Promise.resolve(),
};

/** @throws SendonceError FLAG_INVALID; OUTPUT_FAILED from any of its calls */
export async function sinkOf(
  { to, 'dry-run': isDry }: { readonly to?: string | undefined; readonly 'dry-run'?: boolean | undefined },
  terminal: Terminal,
): Promise<Sink> {
  if (to !== undefined && existsSync(to))
    throw flagError('to', to, 'the name of a new file: there is such a file, and nothing is written over');
  if (isDry === true) return NO_SINK;
  return to === undefined ? stdoutSink(terminal) : fileSink(to);
}

function stdoutSink({ out }: Terminal): Sink {
  return {
    async write(text) {
      out(text);
      // Whoever reads may be slower than a ledger.
      if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    },
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  };
}

/** Written beside under another name, made durable, and then renamed: a file of that name is whole, whatever ended earlier tries. */
async function fileSink(file: string): Promise<Sink> {
  const part = `${file}.part`;
  // It holds addresses and content.
  const handle = await writing(file, () => open(part, 'w', 0o600));
  return {
    write: (text) => writing(file, async () => void (await handle.appendFile(text))),
    finish: () =>
      writing(file, async () => {
        await handle.sync();
        await handle.close();
        await rename(part, file);
        const folder = await open(dirname(file), 'r');
        await folder.sync();
        await folder.close();
      }),
    async abandon() {
      await handle.close().catch(() => undefined);
      await rm(part, { force: true });
    },
  };
}

async function writing<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new SendonceError('OUTPUT_FAILED', `${file} could not be written: ${message}`, { cause });
  }
}
