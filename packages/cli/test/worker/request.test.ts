import { describe, expect, test } from 'vitest';
import type { WorkerFlags } from '../../src/worker/flags.ts';
import { parseWorker } from '../../src/worker/request.ts';

describe('the flags of notify worker', () => {
  test.each<[WorkerFlags, object]>([
    [{}, { options: {}, health: null }],
    [
      { concurrency: '20', name: 'anna' },
      { options: { concurrency: 20, name: 'anna' }, health: null },
    ],
    [{ stages: 'Deliver, decide' }, { options: { stages: ['deliver', 'decide'] }, health: null }],
    [{ 'health-port': '0' }, { options: {}, health: { host: '127.0.0.1', port: 0 } }],
    [
      { 'health-port': '80', 'health-host': '::' },
      { options: {}, health: { host: '::', port: 80 } },
    ],
  ])('%j', (flags, request) => {
    expect(parseWorker(flags)).toEqual(request);
  });

  test.each<[WorkerFlags, RegExp]>([
    [{ concurrency: '0' }, /^--concurrency "0": did you mean 1\?/],
    [{ concurrency: 'many' }, /expected a whole number from 1 to 10,000/],
    [{ stages: 'deliver,deside' }, /did you mean decide\?/],
    [{ name: ' ' }, /^--name/],
    [{ 'health-port': '65536' }, /^--health-port "65536": did you mean 65535\?/],
    [{ 'health-host': '0.0.0.0' }, /expected --health-port beside it/],
  ])('%j are refused', (flags, message) => {
    expect(() => parseWorker(flags)).toThrow(
      expect.objectContaining({ code: 'FLAG_INVALID', message: expect.stringMatching(message) }),
    );
  });
});
