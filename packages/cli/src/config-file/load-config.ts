import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { isSendonceError, SendonceError, type ErrorCode, type NotifierConfig } from '@sendonce/core';
import { nearest } from '../nearest.ts';
import { checkConfig, type ConfigNeeds } from './check-config.ts';
import { placeOf, placeOfImport, shortPath } from './place.ts';

/**
 * Loads `notify.config.ts` (or .js, .mjs): its default export, an object or an async factory.
 *
 * @throws SendonceError `CONFIG_FILE_INVALID`: no such file, not readable as code, no default export, or a wrong shape. What an adapter
 * says of its options keeps its own code (`OPTION_INVALID`, `DRIVER_MISSING`).
 */
export async function loadConfig(file: string, needs: ConfigNeeds = {}): Promise<NotifierConfig> {
  const exported = (await importFile(file))['default'];
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
  const where = `there is no such file in ${dirname(path)}.`;
  throw configError(file, close === null ? where : `${where} Did you mean ${close}?`);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * What a file of the user's exports. It is read anew at each call.
 * @throws SendonceError `CONFIG_FILE_INVALID`: there is none, or it cannot be loaded.
 */
export async function importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  const path = resolve(file);
  checkExists(file, path);
  try {
    const { createJiti } = await import('jiti');
    // Nothing is written next to the user's files, and a changed file is read anew.
    const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false, interopDefault: false });
    return await jiti.import<Readonly<Record<string, unknown>>>(path);
  } catch (error) {
    throw thrownBy(file, 'cannot be loaded', { error, path });
  }
}

async function callFactory(file: string, factory: () => unknown): Promise<unknown> {
  try {
    return await factory();
  } catch (error) {
    throw thrownBy(file, 'its factory failed', { error, path: null });
  }
}

/** What is the user's to mend in the config itself. */
const KEPT: readonly ErrorCode[] = ['CONFIG_INVALID', 'DRIVER_MISSING', 'OPTION_INVALID'];

/** An error of ours, such as that of an adapter about an option, keeps its code: its section says what to do. */
function thrownBy(
  file: string,
  what: string,
  { error, path }: { readonly error: unknown; readonly path: string | null },
): SendonceError {
  if (!isSendonceError(error) || !KEPT.includes(error.code))
    return configError(file, `${what}: ${problemOf(error, path)}`, error);
  const place = placeOf(error);
  const at = place === null ? '' : `, at ${place}`;
  return new SendonceError(error.code, `${file}: ${error.message}${at}`, { cause: error });
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
