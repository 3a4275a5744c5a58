import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { Crew } from '../../src/processes/crew.ts';
import type { WorkOrders } from '../../src/processes/orders.ts';
import { Strikes } from '../../src/processes/strikes.ts';

const folder = mkdtempSync(join(tmpdir(), 'crew-'));
const crews: Crew[] = [];
afterEach(async () => {
  for (const crew of crews.splice(0)) await crew.killAll();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A crew whose workers run this program. */
function crewOf(name: string, program: string): Crew {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, program);
  const crew = new Crew({
    entry: pathToFileURL(file),
    folder,
    strikes: new Strikes({ strikes: [], counted: [], hasQueue: true }),
    now: () => Date.now(),
    ordersFor: () => ({ kind: 'work' }) as WorkOrders,
    announced: () => {},
  });
  crews.push(crew);
  return crew;
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries++) {
    if (tries > 500) throw new Error('not within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const WAITS = `process.on('message', () => {});`;
const STUBBORN = `${WAITS} process.on('SIGTERM', () => {});`;
const DIES = `process.on('message', () => { console.error('no driver'); process.exit(7); });`;

describe('a crew', () => {
  test('starts a worker again that was killed', async () => {
    const crew = crewOf('waits', WAITS);
    crew.start('w1');
    const kill = await crew.kill('w1', 10);
    expect(kill).toMatchObject({ worker: 'w1' });
    expect(crew.isComplete).toBe(false);
    await until(() => crew.size === 1);
    expect(crew.crashes).toEqual([]);
    expect(crew.isRunning('w1', kill?.pid ?? -1)).toBe(false);
  });

  test('leaves a worker dead that is gone for good, and kills nobody twice', async () => {
    const crew = crewOf('waits', WAITS);
    crew.start('w1');
    const [first, second] = await Promise.all([crew.kill('w1', null), crew.kill('w1', null)]);
    expect([first === null, second === null]).toEqual([false, true]);
    expect([crew.size, crew.isComplete]).toEqual([0, true]);
  });

  test('kills the next starts of a worker that is doomed', async () => {
    const crew = crewOf('waits', WAITS);
    crew.start('w1');
    crew.doom('w1', 2, 10);
    await crew.kill('w1', 10);
    await until(() => crew.kills.length === 3 && crew.isComplete && crew.size === 1);
  });

  test('tells with its last words of a worker that ends by itself, and gives up after the fourth time', async () => {
    const crew = crewOf('dies', DIES);
    crew.start('w1');
    await until(() => crew.crashes.length === 4 && crew.isComplete && crew.size === 0);
    expect(crew.crashes[0]).toEqual({ worker: 'w1', code: 7, signal: null, tail: 'no driver' });
  });

  test('kills in the end whoever does not hear that it shall stop', async () => {
    const crew = crewOf('stubborn', STUBBORN);
    crew.start('w1');
    await crew.stopAll(100);
    expect([crew.size, crew.crashes.length]).toEqual([0, 0]);
  });

  test('lets nobody stand still for ever', async () => {
    const crew = crewOf('waits', WAITS);
    crew.start('w1');
    crew.pause('w1', 60_000);
    await crew.stopAll(2_000);
    expect(crew.size).toBe(0);
  });

  test('starts nobody any more once it ends', async () => {
    const crew = crewOf('waits', WAITS);
    crew.start('w1');
    void crew.kill('w1', 10);
    await crew.killAll();
    crew.start('w2');
    expect(crew.size).toBe(0);
  });
});
