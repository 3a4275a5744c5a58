import { describe, expect, test } from 'vitest';
import type { RealFacts } from '../../src/processes/facts.ts';
import { realFacts } from '../../src/report/real-facts.ts';

const facts: RealFacts = {
  end: 'settled',
  ledger: 'redis://127.0.0.1:7000#run',
  queue: null,
  folder: null,
  speed: 1,
  leaseMs: 2_000,
  dispatchMs: 3_000,
  kills: [],
  servers: [],
  recoverWithinMs: 5_000,
  crashes: [],
  messages: 8,
};

describe('the lines of a real run', () => {
  test('name the queue where it is a server', () => {
    const named = (queue: string | null) => realFacts({ ...facts, queue }, 1_000).filter(([name]) => name === 'queue');
    expect(named(null)).toEqual([]);
    expect(named('amqp://127.0.0.1/#run')).toEqual([['queue', 'amqp://127.0.0.1/#run']]);
  });

  test.each([
    ['restart', 'queue', ['restarted', 'the queue, at acceptance 800, and back after 1.5 s']],
    ['restart', 'ledger', ['restarted', 'the ledger, at acceptance 800, and back after 1.5 s']],
    ['wipe', 'queue', ['wiped', 'the queue, at acceptance 800, and back after 1.5 s']],
    ['wipe', 'ledger', ['wiped', 'the ledger, at acceptance 800, and published to again after 1.5 s']],
  ] as const)('tell what was done to a server: %s of the %s', (what, server, line) => {
    const servers = [{ do: what, server, acceptance: 800, startedAt: 1_000, at: 2_500 }];
    expect(realFacts({ ...facts, servers }, 1_000)).toContainEqual(line);
  });
});
