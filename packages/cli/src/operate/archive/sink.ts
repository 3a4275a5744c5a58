import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { link, open, rename, rm, stat } from 'node:fs/promises';
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
  terminal: Pick<Terminal, 'out'>,
): Promise<Sink> {
  if (to !== undefined && existsSync(to))
    throw flagError('to', to, 'the name of a new file: there is such a file, and nothing is written over');
  if (isDry === true) return NO_SINK;
  return to === undefined ? stdoutSink(terminal) : fileSink(to);
}

function stdoutSink({ out }: Pick<Terminal, 'out'>): Sink {
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

/**
 * Written beside under another name, made durable, and then named: a file of that name is whole, whatever ended earlier tries, and two that
 * write it at once never mix or replace each other: the first to finish has it, and the other fails.
 */
async function fileSink(file: string): Promise<Sink> {
  const part = `${file}.part`;
  const handle = await writing(file, async () => {
    // Of a run that was killed. One that is still writing goes on without a name, and cannot finish.
    await rm(part, { force: true });
    // It holds addresses and content.
    return open(part, 'wx', 0o600);
  });
  const isOurs = async (): Promise<boolean> => {
    const [own, named] = await Promise.all([handle.stat(), stat(part).catch(() => null)]);
    return own.ino === named?.ino && own.dev === named.dev;
  };
  return {
    write: (text) => writing(file, async () => void (await handle.appendFile(text))),
    finish: () =>
      writing(file, async () => {
        await handle.sync();
        if (!(await isOurs())) throw new Error(`another run has taken ${part}, and goes on`);
        await nameOnce(part, file);
        await handle.close();
        const folder = await open(dirname(file), 'r');
        await folder.sync();
        await folder.close();
      }),
    async abandon() {
      const isLeft = await isOurs().catch(() => false);
      await handle.close().catch(() => undefined);
      if (isLeft) await rm(part, { force: true });
    },
  };
}

/** Where the disk has no second names: exFAT, some shares. */
const NO_LINKS: readonly unknown[] = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'];

/** Gives a file its name unless that is taken; `rename` would take it from whatever has it. */
async function nameOnce(part: string, file: string): Promise<void> {
  try {
    await link(part, file);
  } catch (thrown) {
    if (!NO_LINKS.includes((thrown as NodeJS.ErrnoException).code)) throw thrown;
    if (existsSync(file)) throw new Error('there is such a file by now', { cause: thrown });
    return rename(part, file);
  }
  await rm(part, { force: true });
}

async function writing<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new SendonceError('OUTPUT_FAILED', `${file} could not be written: ${message}`, { cause });
  }
}
