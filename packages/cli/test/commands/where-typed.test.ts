import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../notify.ts';
import { running } from '../support/running.ts';

const below = join(root, 'examples', 'first-notifier');

// The tests' own `npx` sets these too, so each row says both.
test.each([
  { how: 'npx, typed further down', env: { npm_command: 'exec', INIT_CWD: below }, finds: true },
  { how: 'npx, typed where it runs', env: { npm_command: 'exec', INIT_CWD: root }, finds: false },
  { how: 'npx, typed elsewhere', env: { npm_command: 'exec', INIT_CWD: '/' }, finds: false },
  { how: 'npx, in a folder that is gone', env: { npm_command: 'exec', INIT_CWD: join(root, 'gone') }, finds: false },
  { how: 'a script of npm', env: { npm_command: 'run-script', INIT_CWD: below }, finds: false },
])('started by $how, files are meant where it was typed: $finds', async ({ env, finds }) => {
  const { code, stdout, stderr } = await running(['status'], env).ended;
  if (finds) expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^WELL/m) as string });
  else
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`in ${root}`.replace(/\/$/, '')) as string,
    });
});
