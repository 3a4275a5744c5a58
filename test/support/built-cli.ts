import { execSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cli = join(root, 'packages/cli');
const sources = ['core', 'adapters', 'chaos', 'cli'].map((name) => join(root, 'packages', name, 'src'));

/** What a config file imports is built too: the command line loads it as a user's would be. */
const WORKSPACES = ['core', 'adapters', 'cli'].map((name) => `--workspace @sendonce/${name}`).join(' ');

/** Builds the command line once before its tests, when it is missing or older than what it is made from. */
export function setup(): void {
  if (builtAt() > newestChange()) return;
  execSync(`npm run build:js ${WORKSPACES}`, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

function builtAt(): number {
  // The manifest is written last, so its time is that of a whole build.
  const parts = ['dist/commands', 'oclif.manifest.json'].map((name) => join(cli, name));
  return parts.every((part) => existsSync(part)) ? statSync(join(cli, 'oclif.manifest.json')).mtimeMs : 0;
}

function newestChange(): number {
  const files = sources
    .filter(existsSync)
    .flatMap((directory) =>
      readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((file) => join(directory, file)),
    );
  return Math.max(0, ...files.map((file) => statSync(file).mtimeMs));
}
