import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { memoryLedger } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';
import { afterAll, expect, test } from 'vitest';
import { runReal } from '../../src/processes/run-real.ts';
import { setupOf } from '../support/setup.ts';

const folder = mkdtempSync(join(tmpdir(), 'interrupted-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file that a child process runs instead of the provider's. */
function entry(name: string, code: string): URL {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, code);
  return pathToFileURL(file);
}

const STUCK = `process.on('disconnect', () => process.exit()); setInterval(() => {}, 1_000);`;

test.each([
  ['is still loading', STUCK, null],
  ['was ended by the same signal', `process.kill(process.pid, 'SIGINT');`, 100],
  ['was ended by the same signal before anybody here heard it', `process.kill(process.pid, 'SIGINT');`, 250],
])('a run is told to stop while a process %s: nobody is blamed', async (_what, code, afterMs) => {
  const stop = new AbortController();
  const provider = entry('provider', code);
  const run = runReal({
    setup: setupOf({ recipients: 5 }),
    seed: 'apple',
    faults: [],
    entries: { provider, worker: provider },
    openLedger: () => memoryLedger({ clock: systemClock }),
    ledger: () => 'memory:',
    signal: stop.signal,
  });
  if (afterMs === null) stop.abort();
  else setTimeout(() => stop.abort(), afterMs);
  expect(await run).toMatchObject({ verdict: 'interrupted', schedules: 0 });
});
