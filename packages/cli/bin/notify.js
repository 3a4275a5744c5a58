#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

// Node 22 keeps compiled code between runs, which makes every start faster; Node 20 has no such function.
module.enableCompileCache?.();

if (existsSync(new URL('../dist/commands', import.meta.url))) {
  const { execute } = await import('@oclif/core/execute');
  const { settings } = await import('@oclif/core/settings');
  // Under NODE_ENV=test or development oclif would look for a TypeScript loader; what runs here is always the build.
  settings.enableAutoTranspile = false;
  await execute({ dir: import.meta.url });
} else {
  process.stderr.write('notify is not built yet. Run `npm run build` at the root of the repository, then try again.\n');
  process.exitCode = 70;
}
