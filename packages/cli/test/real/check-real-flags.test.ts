import { describe, expect, test } from 'vitest';
import { checkRealFlags } from '../../src/real/check-real-flags.ts';
import { parseLedger } from '../../src/real/ledger-address.ts';
import { speedFor } from '../../src/real/real-knobs.ts';
import type { SimulateFlags } from '../../src/simulate/flags.ts';

describe('checkRealFlags', () => {
  const refused: readonly SimulateFlags[] = [
    { real: true, config: 'notify.config.ts' },
    { real: true, faults: 'all' },
    { real: true, schedules: '2' },
    { real: true, for: '60s' },
    { real: true, 'self-test': true },
    { ledger: 'sqlite:x.db' },
    { keep: true },
    { queue: 'redis://127.0.0.1' },
    { real: true, replay: 'x.plan.json', queue: 'none' },
    { replay: 'x.plan.json', 'no-queue': true },
  ];
  test.each(refused)('refuses %j', (flags) => {
    expect(() => checkRealFlags(flags)).toThrow(/--real/);
  });

  const taken: readonly SimulateFlags[] = [
    {},
    { real: true },
    { real: true, ledger: 'sqlite:x.db', keep: true, 'kill-at': ['8'], break: 'naive-lock', 'drop-acks': '5%' },
    { config: 'notify.config.ts', faults: 'all' },
    { queue: 'none' },
    { real: true, queue: 'amqp://127.0.0.1', ledger: 'redis://127.0.0.1' },
    { real: true, replay: 'x.plan.json', queue: 'amqp://127.0.0.1' },
  ];
  test.each(taken)('takes %j', (flags) => {
    expect(() => checkRealFlags(flags)).not.toThrow();
  });
});

describe('parseLedger', () => {
  test('makes the path absolute', () => {
    expect(parseLedger('sqlite:run.db')).toBe(`sqlite:${process.cwd()}/run.db`);
  });

  test.each(['postgres://anna@db.example/shop', 'redis://127.0.0.1:6379', 'postgres:', 'redis:'])(
    'takes %s as it is',
    (address) => {
      expect(parseLedger(address)).toBe(address);
    },
  );

  test.each(['', 'sqlite:', 'run.db', 'postgres', 'amqp:', 'mysql://localhost/x'])('refuses %j', (text) => {
    expect(() => parseLedger(text)).toThrow('sqlite:run.db');
  });
});

describe('speedFor', () => {
  const rows = [
    [{ leaseMs: 2_000 }, 1],
    [{ leaseMs: 1_000 }, 1],
    [{ leaseMs: 6_000 }, 4],
    [{}, 20],
    [{ leaseMs: 3_600_000 }, 20],
  ] as const;
  test.each(rows)('of %j is %d', (knobs, speed) => {
    expect(speedFor(knobs)).toBe(speed);
  });
});
