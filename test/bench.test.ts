import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { setup as buildCli } from './support/built-cli.ts';

const script = fileURLToPath(new URL('../scripts/bench.js', import.meta.url));

/** A script, so without types of its own. */
const { withSection } = (await import(new URL('../scripts/bench/page.js', import.meta.url).href)) as {
  withSection(page: string, name: string, text: string): string;
};

/** A few recipients, so that a change that breaks the bench is seen before anybody wants a figure. */
async function bench(...flags: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--quick', ...flags]);
  return stdout;
}

// Side by side: most of their time is waiting, for locks and polls.
describe.concurrent('the bench', () => {
  beforeAll(buildCli, 120_000);

  test('measures ours beside a peer', { timeout: 60_000 }, async () => {
    const who = ['BullMQ + SET NX', 'Sendonce on Redis'].flatMap((name) => ['--who', name]);
    const out = await bench('--only', 'peers', ...who);
    expect(out).toMatch(/^\| BullMQ \+ SET NX \| [\d,]+ \([\d,]+ to [\d,]+\) \| [\d.]+ x \| [\d,]+ \|/m);
    expect(out).toMatch(/^\| Sendonce on Redis \| [\d,]+ \([\d,]+ to [\d,]+\) \| {2}\| [\d,]+ \|/m);
  });

  test('kills a worker of ours, and nobody is told twice or never', { timeout: 60_000 }, async () => {
    const out = await bench('--only', 'kills', '--scenario', 'a kill', '--who', 'Sendonce on Redis, keyed provider');
    expect(out).toMatch(/^\| Sendonce on Redis, keyed provider \| 100 \| 0 \| 0 \| 0 \| 0 \| [\d.]+ \| [\d.]+ \|$/m);
  });

  test('refuses a part that it does not have, naming those that it has', async () => {
    await expect(bench('--only', 'peer')).rejects.toThrow(/'peer' is no part of the bench; known: simulate, sqlite/);
  });
});

describe('the page of benchmarks', () => {
  const page = 'before\n<!-- measured: one -->\n\nold\n\n<!-- /measured -->\nafter\n';

  test('keeps what is written around the figures', () => {
    const filled = 'before\n<!-- measured: one -->\n\nnew\n\n<!-- /measured -->\nafter\n';
    expect(withSection(page, 'one', 'new')).toBe(filled);
    expect(withSection(filled, 'one', 'old')).toBe(page);
  });

  test('is left alone when it has no place for them', () => {
    expect(() => withSection(page, 'two', 'new')).toThrow(/no place for 'two'/);
  });
});
