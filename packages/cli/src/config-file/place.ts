import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package's sources, or of its build, which holds all packages. */
const OURS = /^.*[\\/](?:dist|src)[\\/]/.exec(fileURLToPath(import.meta.url))?.[0] ?? '';

/** In a clone our other packages lie beside it; installed, they are below node_modules. */
const SIBLINGS = /^.*[\\/]packages[\\/](?=cli[\\/](?:dist|src)[\\/]$)/.exec(OURS)?.[0] ?? null;

function isSibling(path: string): boolean {
  return (
    SIBLINGS !== null && path.startsWith(SIBLINGS) && /^[\w-]+[\\/](?:dist|src)[\\/]/.test(path.slice(SIBLINGS.length))
  );
}

/** Where in the user's own files something was thrown: `notify.config.ts:12:5`, seen from the working folder; null: nowhere in them. */
export function placeOf(thrown: unknown): string | null {
  const frame = framesOf(thrown).find(({ path }) => isUsers(path));
  return frame === undefined ? null : `${shortPath(frame.path)}:${frame.position}`;
}

/** Whether it was thrown by the user's code, or by a package that this code called, rather than by ours. */
export function isThrownByUser(thrown: unknown): boolean {
  const first = framesOf(thrown).find(({ path }) => isUsers(path) || path.startsWith(OURS));
  return first !== undefined && isUsers(first.path);
}

function framesOf(thrown: unknown): { readonly path: string; readonly position: string }[] {
  const lines = thrown instanceof Error ? (thrown.stack ?? '').split('\n') : [];
  return lines.flatMap((line) => {
    const [, file, position] = /(?:^|[\s(])((?:file:\/\/)?\/[^()]*?):(\d+:\d+)\)?$/.exec(line) ?? [];
    if (file === undefined || position === undefined) return [];
    if (file.startsWith('file://')) return [{ path: fileURLToPath(file), position }];
    // What jiti has compiled begins with words of its own: on the first line the column says nothing.
    return [{ path: file, position: position.replace(/^1:.*/, '1') }];
  });
}

function isUsers(path: string): boolean {
  return !path.includes(`${sep}node_modules${sep}`) && !path.startsWith(OURS) && !isSibling(path);
}

/** Below the working folder: relative to it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

/** Where a file names a module: the line and column of the text in quotes. Null where it does not, or cannot be read. */
export function placeOfImport(file: string, specifier: string): string | null {
  const text = textOf(file);
  const at = text.search(new RegExp(`(['"\`])${specifier.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\1`));
  return at < 0 ? null : placeAt(file, text, at);
}

/** Where a file gives an option its value, by the names that lead to it, each after the one before. Null where it is not seen. */
export function placeOfOption(file: string, names: readonly string[]): string | null {
  const text = textOf(file);
  let at = 0;
  for (const name of names) {
    const pattern = new RegExp(`(?<![\\w$.])['"]?${name.replace(/[^\w$]/g, '\\$&')}['"]?\\s*[:,(]`, 'g');
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return null;
    at = found.index;
  }
  return names.length === 0 ? null : placeAt(file, text, at);
}

function placeAt(file: string, text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `${shortPath(file)}:${before.length}:${(before.at(-1) ?? '').length + 1}`;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
