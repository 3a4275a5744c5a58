import { existsSync, readdirSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

/** One entry per `.ts` file below `src/<folder>`, named after its path, so that `dist` mirrors `src`. */
export function entriesIn(folder: string): Record<string, string> {
  const directory = `src/${folder}`;
  if (!existsSync(directory)) return {};
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'))
    .sort();
  return Object.fromEntries(files.map((file) => [`${folder}/${file.slice(0, -'.ts'.length)}`, `${directory}/${file}`]));
}

/** The build of every package: ESM for Node, one chunk for what entries share. The types come from `tsc`. */
export function packageBuild(entry: Record<string, string>, options: Options = {}): ReturnType<typeof defineConfig> {
  if (Object.keys(entry).length === 0) return defineConfig([]);
  return defineConfig({
    entry,
    format: 'esm',
    target: 'node20',
    platform: 'node',
    splitting: true,
    sourcemap: true,
    // The two halves of the build share `dist` and may run side by side: this one leaves the other's files alone.
    clean: ['!**/*.d.ts'],
    silent: true,
    ...options,
  });
}
