import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { SendonceError, type NotifierConfig } from '@sendonce/core';
import { nearest } from '../nearest.ts';
import { checkConfig, type ConfigNeeds } from './check-config.ts';
import { placeOf, placeOfImport, shortPath } from './place.ts';

/**
 * Loads `notify.config.ts` (or .js, .mjs): its default export, an object or an async factory.
 *
 * @throws SendonceError `CONFIG_FILE_INVALID`: no such file, not readable as code, no default export, or a wrong shape.
 */
export async function loadConfig(file: string, needs: ConfigNeeds = {}): Promise<NotifierConfig> {
  const path = resolve(file);
  checkExists(file, path);
  const exported = (await importFile(file, path))['default'];
  if (exported === undefined || exported === null) {
    throw configError(file, 'has no default export; write `export default defineConfig({ ... })`');
  }
  return checkConfig(
    file,
    typeof exported === 'function' ? await callFactory(file, exported as () => unknown) : exported,
    needs,
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
    throw configError(file, `cannot be loaded: ${problemOf(error, path)}`, error);
  }
}

async function callFactory(file: string, factory: () => unknown): Promise<unknown> {
  try {
    return await factory();
  } catch (error) {
    throw configError(file, `its factory failed: ${problemOf(error, null)}`, error);
  }
}

/** What is wrong, and where in which of the user's files. `path`: the config file, from which everything else is imported. */
function problemOf(error: unknown, path: string | null): string {
  if (!(error instanceof Error)) return String(error);
  const [first = '', ...rest] = error.message.split('\n');
  const words = error.name === 'Error' ? first.trim() : `${error.name}: ${first.trim()}`;
  const place = parsePlace(rest) ?? importPlace(error, first, path) ?? placeOf(error);
  return place === null ? words : `${words}, at ${place}`;
}

/** jiti names the place of what it cannot parse on the second line. */
function parsePlace([second = '']: readonly string[]): string | null {
  const [, file, line, column] = /^\s*(\/.*):(\d+):(\d+)$/.exec(second) ?? [];
  // Its columns count from 0, those of everybody else from 1.
  return file === undefined ? null : `${shortPath(file)}:${line}:${Number(column) + 1}`;
}

/** A module that is not there has no stack in the user's files: the import is looked for in the file that wanted it. */
function importPlace(
  error: Error & { requireStack?: readonly string[] },
  message: string,
  path: string | null,
): string | null {
  const [, specifier] = /^Cannot find (?:module|package) '([^']+)'/.exec(message) ?? [];
  const file = error.requireStack?.[0] ?? path;
  return specifier === undefined || file === null ? null : placeOfImport(file, specifier);
}
