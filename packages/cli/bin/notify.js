#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import { sep } from 'node:path';

// Node 22 keeps compiled code between runs, which makes every start faster; Node 20 has no such function.
module.enableCompileCache?.();

// `npx` starts a command at the root of the workspace. Whoever typed it stands further down, and means the files there.
const { INIT_CWD: typedIn, npm_command: startedBy } = process.env;
if (startedBy === 'exec' && typedIn?.startsWith(process.cwd() + sep) && existsSync(typedIn)) process.chdir(typedIn);

// Left alone, a full disk or a closed pipe would exit with 1, which says that a bug was found. 74 is EX_IOERR (docs/reference/simulate.md).
let isTold = false;
process.stdout.on('error', ({ code, message }) => {
  if (isTold) return;
  isTold = true;
  // Whoever reads (`| head -1`) has what they want: no fault of anybody, and no reason for words.
  if (code !== 'EPIPE')
    process.stderr.write(`Error OUTPUT_FAILED: what there is to say cannot be written to stdout: ${message}\n`);
  // A command with messages on their way listens for this, and ends when they have arrived.
  if (!process.stdout.emit('unheard')) process.exit(74);
});
// The result is on stdout: nobody has to hear the rest.
process.stderr.on('error', () => {});

const built = new URL('../dist/main.js', import.meta.url);
if (existsSync(built)) {
  const { main } = await import(built.href);
  await main(import.meta.url);
} else {
  process.stderr.write('notify is not built yet. Run `npm run build` at the root of the repository, then try again.\n');
  process.exitCode = 70;
}
