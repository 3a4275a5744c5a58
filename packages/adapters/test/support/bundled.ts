import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/** A module with all of ours that it needs, as one file of JavaScript, which a plain Node runs; answers its path. */
export async function bundled(module: URL, name: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const outfile = `${folder}${name}-${process.pid}.mjs`;
  await build({
    entryPoints: [fileURLToPath(module)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@sendonce/source'],
    external: ['ioredis', 'libsql', 'pg'],
    logLevel: 'warning',
  });
  return outfile;
}
