import { describe, expect, test } from 'vitest';
import { plainReason } from '../../src/worker/plain-reason.ts';

describe('why a worker is in trouble is said without the names of classes', () => {
  test.each([
    ["SendonceError: 'w.db': the disk is full", "'w.db': the disk is full"],
    ['SqliteError: disk I/O error', 'disk I/O error'],
    ['Error: SqliteError: disk I/O error', 'disk I/O error'],
    ['AWS_Exception: throttled', 'throttled'],
    ['ledger.claim answered nothing: 3 of 4', 'ledger.claim answered nothing: 3 of 4'],
    ['Error: ', 'Error: '],
    ['an object with code', 'an object with code'],
  ])('%s', (reason, words) => {
    expect(plainReason(reason)).toBe(words);
  });
});
