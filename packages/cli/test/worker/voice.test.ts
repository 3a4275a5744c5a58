import type { TelemetryEvent } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { plainReason } from '../../src/worker/plain-reason.ts';
import { Vitals } from '../../src/worker/vitals.ts';
import { wordsVoice } from '../../src/worker/voice.ts';
import type { Terminal } from '../../src/terminal.ts';

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

test('neither the line nor the health of a worker in trouble has them', () => {
  const lines: string[] = [];
  const vitals = new Vitals();
  const terminal = { err: (text: string) => void lines.push(text), watched: false } as unknown as Terminal;
  const voice = wordsVoice(terminal, {
    vitals,
    hashed: (text) => text,
    now: () => 0,
    dueOf: () => Promise.resolve(null),
  });
  const event: TelemetryEvent = { kind: 'worker.degraded', at: 0, worker: 'w', reason: 'SqliteError: disk I/O error' };
  vitals.note(event);
  voice.event(event);
  voice.close();
  expect(lines).toEqual(['In trouble, and trying again: disk I/O error\n']);
  expect([...vitals.troubles]).toEqual(['disk I/O error']);
});
