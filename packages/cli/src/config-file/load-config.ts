import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { SendonceError, type NotifierConfig } from '@sendonce/core';
import { nearest } from '../nearest.ts';
import { checkConfig } from './check-config.ts';

/**
 * Loads `notify.config.ts` (or .js, .mjs): its default export, an object or an async factory.
 *
 * @throws SendonceError `CONFIG_FILE_INVALID`: no such file, not readable as code, no default export, or a wrong shape.
 */
export async function loadConfig(file: string): Promise<NotifierConfig> {
  const path = resolve(file);
  checkExists(file, path);
  const exported = (await importFile(file, path))['default'];
  if (exported === undefined || exported === null) {
    throw configError(file, 'has no default export; write `export default defineConfig({ ... })`');
  }
  return checkConfig(
    file,
    typeof exported === 'function' ? await callFactory(file, exported as () => unknown) : exported,
  );
}

function configError(file: string, problem: string, cause?: unknown): SendonceError {
  return new SendonceError('CONFIG_FILE_INVALID', `${file}: ${problem}`, cause === undefined ? {} : { cause });
}

function checkExists(file: string, path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return;
  const close = nearest(basename(path), namesIn(dirname(path)));
  throw configError(file, `there is no such file.${close === null ? '' : ` Did you mean ${close}?`}`);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function importFile(file: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { createJiti } = await import('jiti');
    // Nothing is written next to the user's files, and a changed file is read anew.
    const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false, interopDefault: false });
    return await jiti.import<Readonly<Record<string, unknown>>>(path);
  } catch (error) {
    throw configError(file, `cannot be loaded: ${messageOf(error)}`, error);
  }
}

async function callFactory(file: string, factory: () => unknown): Promise<unknown> {
  try {
    return await factory();
  } catch (error) {
    throw configError(file, `its factory failed: ${messageOf(error)}`, error);
  }
}

/** The first line says what is wrong; the rest (code frames, stacks) is in the cause. */
function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
