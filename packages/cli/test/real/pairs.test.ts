import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notify } from '../notify.ts';
import { LEDGERS, pairServers, QUEUES, type PairServers } from './pair-servers.ts';

let servers: PairServers;
beforeAll(async () => void (servers = await pairServers()), 60_000);
afterAll(() => servers.close());

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
});

test('the runs leave nothing on the servers', async () => {
  expect(await servers.leftOver()).toEqual([]);
});
