import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REAL_KNOBS } from '../../src/real/real-knobs.ts';
import { notify } from '../notify.ts';
import { LEDGERS, pairServers, QUEUES, type PairServers } from './pair-servers.ts';

let servers: PairServers;
beforeAll(async () => void (servers = await pairServers()), 60_000);
afterAll(() => servers.close());
const folder = mkdtempSync(join(tmpdir(), 'notify-pairs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PAIRS = LEDGERS.flatMap((ledger) => QUEUES.map((queue) => [ledger, queue] as const));
const real = (...args: readonly string[]) =>
  notify(['simulate', '--real', '--workers', '2', '--recipients', '300', '--kill-at', '150', '--json', ...args]);

describe.concurrent('a killed process on real servers', { timeout: 120_000 }, () => {
  test.each(PAIRS)('costs nobody a message on %s and %s', async (ledger, queue) => {
    const { code, stdout } = await real(...servers.flagsOf(ledger, queue));
    const result = JSON.parse(stdout) as Record<string, number>;
    expect({ code, result }).toMatchObject({
      code: 0,
      result: { verdict: 'pass', requested: 300, duplicated: 0, lost: 0, phantom: 0, faults: { armed: 1, fired: 1 } },
    });
    expect(Number(result['once']) + Number(result['recovered'])).toBe(300);
  });

  test('is made up for by the ledger while its queue still hides the wakes', async () => {
    const queue = 'redis';
    const file = join(folder, `${queue}.plan.json`);
    const setup = {
      ...{ recipients: 100, workers: 2, concurrency: 10, provider: 'keyed', class: 'transactional', onUnknown: null },
      ...{ queue: true, sender: null, knobs: { ...REAL_KNOBS, visibilityMs: 600_000 } },
    };
    const faults = [{ do: 'kill', acceptance: 50, moment: 'after-accept' }];
    const plan = { schema: 'sendonce.plan/1', title: 'hidden wakes', seed: 'apple', setup, faults, expect: 'pass' };
    writeFileSync(file, JSON.stringify(plan));
    const report = join(folder, queue);
    const args = ['simulate', '--real', '--replay', file, '--report', report, ...servers.flagsOf('sqlite', queue)];
    const { code, stdout } = await notify(args);
    const { kills } = JSON.parse(readFileSync(join(report, 'real.json'), 'utf8')) as {
      readonly kills: readonly { readonly recovery: { readonly orphans: number; readonly firstMs: number } }[];
    };
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^PASS {2}100 of 100/)]);
    expect(kills[0]?.recovery.orphans).toBeGreaterThan(0);
    expect(kills[0]?.recovery.firstMs).toBeLessThan(5_000);
  });
});

test('the runs leave nothing on the servers', async () => {
  expect(await servers.leftOver()).toEqual([]);
});
