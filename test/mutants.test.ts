import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../scripts/mutants.js', import.meta.url));

// All of them take minutes; that they still run is worth knowing every time.
test('without the sweeper rule, the tests that are named for it turn red', { timeout: 120_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--rule', '15']);
  expect(stdout).toMatch(/2 mutants of 1 rule: 2 red, 0 not\n$/);
});
