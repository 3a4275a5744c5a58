import { describe, expect, test } from 'vitest';
import { checkServerFaults, parseServerFaults } from '../../src/real/server-faults.ts';

const OWN = { ledger: 'redis:', queue: 'amqp:' };
const OTHERS = { ledger: 'redis://127.0.0.1:6379', queue: 'amqp://127.0.0.1' };

describe('--restart and --wipe', () => {
  test('are read', () => {
    expect(parseServerFaults({ restart: ['ledger@800', 'queue@1'], wipe: ['queue@9'] })).toEqual([
      { do: 'restart', server: 'ledger', acceptance: 800 },
      { do: 'restart', server: 'queue', acceptance: 1 },
      { do: 'wipe', server: 'queue', acceptance: 9 },
    ]);
    expect(parseServerFaults({})).toEqual([]);
  });

  test.each(['', 'ledger', 'ledger@', 'ledger@x', 'provider@8', 'ledger@0', '800'])('refuse %j', (text) => {
    expect(() => parseServerFaults({ restart: [text] })).toThrow(/--restart/);
    expect(() => parseServerFaults({ wipe: [text] })).toThrow(/--wipe/);
  });

  test.each([
    [{ restart: ['ledger@8', 'queue@8'], wipe: ['ledger@8', 'queue@8'] }, OWN],
    [{ restart: ['ledger@8'] }, { ledger: 'postgres:', queue: null }],
    [{ wipe: ['queue@8'] }, OTHERS],
    [{ wipe: ['queue@8'] }, { ledger: null, queue: 'sqs+http://127.0.0.1:4566' }],
  ])('strike %j at %j', (flags, addresses) => {
    expect(() => checkServerFaults(parseServerFaults(flags), addresses, 10)).not.toThrow();
  });

  test.each([
    [{ restart: ['ledger@8'] }, OTHERS, /nobody else's is struck: --ledger postgres: or redis:/],
    [{ restart: ['queue@8'] }, OTHERS, /nobody else's is struck: --queue redis: or amqp:/],
    [{ restart: ['ledger@8'] }, { ledger: 'sqlite:x.db', queue: null }, /nobody else's is struck/],
    [{ restart: ['queue@8'] }, { ledger: null, queue: null }, /nobody else's is struck/],
    [{ wipe: ['ledger@8'] }, OTHERS, /--ledger redis:, which the run starts/],
    [{ wipe: ['ledger@8'] }, { ledger: 'postgres:', queue: null }, /--ledger redis:, which the run starts/],
    [{ wipe: ['queue@8'] }, { ledger: null, queue: null }, /a queue on a server/],
    [{ wipe: ['queue@11'] }, OWN, /a number from 1 to 10/],
  ])('strike with %j nothing at %j', (flags, addresses, words) => {
    expect(() => checkServerFaults(parseServerFaults(flags), addresses, 10)).toThrow(words);
  });
});
