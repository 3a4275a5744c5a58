import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KNOWN_BAD_SENDERS } from '@sendonce/chaos';
import { notify } from '../notify.ts';
import { json, ownFolder } from '../simulate-report.ts';

const folder = ownFolder();

describe('notify simulate --break NAME', () => {
  // One for each way in which they are wrong; that all are caught is the self-test's.
  const ways = new Map(KNOWN_BAD_SENDERS.map(({ name, caughtBy }) => [caughtBy.join(), name]));
  test.each([...ways.values()])(
    '%s is red in its own world, with its own faults',
    async (name) => {
      const { code, stdout } = await notify(['simulate', '--break', name, '--seed', 'apple', '--json']);
      expect([1, 3]).toContain(code);
      const result = json(stdout);
      expect(result).toMatchObject({ verdict: 'violation', recipients: 20 });
      expect(Number(result['duplicated']) + Number(result['lost']) + Number(result['phantom'])).toBeGreaterThan(0);
    },
    60_000,
  );
});

describe('notify simulate --break', () => {
  const broken = ['simulate', '--break', 'key-per-attempt', '--seed', 'apple'];

  test('exits with 1 and tells the story: violation, plan, timeline, why, what to try, how to rerun', async () => {
    const { code, stdout } = await notify([...broken, '--report', join(folder, 'broken')]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^VIOLATION {2}(S\d+|END): /);
    expect(stdout).toMatch(
      /The smallest plan that shows it, a run of its own: \d+ recipients?, \d+ workers?, [12] faults?\n {2}1\. /,
    );
    expect(stdout).toMatch(/\ntime .*\bw\d.*\bp\d/);
    for (const name of ['why', 'try', 'rerun', 'again']) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  });

  test('writes what --report promises, and the plan in it breaks again', async () => {
    const files = readdirSync(join(folder, 'broken')).sort();
    const plan = files.find((file) => file.endsWith('.plan.json')) ?? '';
    expect(files).toEqual([plan, 'events.ndjson', 'junit.xml', 'not-sent.ndjson', 'summary.json'].sort());
    const summary = json(readFileSync(join(folder, 'broken', 'summary.json'), 'utf8'));
    expect(summary).toMatchObject({ schema: 'sendonce.simulate/1', verdict: 'violation' });
    expect(summary['violations']).toContainEqual(expect.objectContaining({ plan: join(folder, 'broken', plan) }));
    expect(readFileSync(join(folder, 'broken', 'junit.xml'), 'utf8')).toContain('<failure ');
    const events = readFileSync(join(folder, 'broken', 'events.ndjson'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(events.map((line) => json(line)).some(({ kind }) => kind === 'provider')).toBe(true);
    const again = await notify(['simulate', '--replay', join(folder, 'broken', plan), '--json']);
    expect(again.code).toBe(1);
    expect(json(again.stdout)['violations']).toContainEqual(
      expect.objectContaining({ invariant: plan.replace('.plan.json', '') }),
    );
  });

  test('says so to GitHub Actions: an error line per invariant, and a step summary', async () => {
    const summary = join(folder, 'summary.md');
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
    const [text, machine] = await Promise.all([
      notify(broken, { env }),
      notify([...broken, '--json'], { env: { GITHUB_ACTIONS: 'true' } }),
    ]);
    expect(text.stdout).toMatch(/^::error title=notify simulate%3A (S\d+|END)%2C .*::/m);
    expect(readFileSync(summary, 'utf8')).toContain('### notify simulate: violation');
    expect(json(machine.stdout)).toMatchObject({ verdict: 'violation' });
    expect(machine.stderr).toMatch(/^::error /m);
  });
});

describe('notify simulate --self-test', () => {
  test('catches every known-bad sender', async () => {
    const { code, stdout } = await notify(['simulate', '--self-test', '--seed', 'apple', '--json']);
    const result = json(stdout) as unknown as {
      verdict: string;
      senders: readonly { sender: string; caught: boolean }[];
    };
    expect(result.senders.filter(({ caught }) => !caught)).toEqual([]);
    expect({ code, verdict: result.verdict }).toEqual({ code: 0, verdict: 'pass' });
  }, 120_000);
});
