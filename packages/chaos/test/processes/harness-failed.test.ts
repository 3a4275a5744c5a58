import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendonceError } from '@sendonce/core';
import { afterAll, describe, expect, test } from 'vitest';
import { asHarness } from '../../src/processes/harness-failed.ts';

const folder = mkdtempSync(join(tmpdir(), 'harness-'));
const gone = join(folder, 'gone');
afterAll(() => rmSync(folder, { recursive: true }));

describe('what ends a real run', () => {
  const FAULTS = [
    new SendonceError('LEDGER_UNAVAILABLE', 'disk I/O error'),
    new SendonceError('PLAN_INVALID', 'no FIFO could be made'),
    Object.assign(new Error('no such file'), { code: 'ENOENT' }),
  ];

  test.each(FAULTS)('is that its folder was removed, whatever noticed it first: %s', (error) => {
    expect(asHarness(error, gone)).toMatchObject({
      code: 'HARNESS_FAILED',
      message: expect.stringMatching(
        /^the folder of the run, .*gone, was removed under it: .*Nothing is known/,
      ) as string,
    });
  });

  test.each(FAULTS)('is what it says while the folder is there: %s', (error) => {
    expect(asHarness(error, folder)).toBe(error);
  });

  test('is a failed harness once, however often it is asked, and a ledger without room is one', () => {
    const full = asHarness(new SendonceError('LEDGER_FULL', 'database or disk is full'), folder);
    expect(full).toMatchObject({ code: 'HARNESS_FAILED' });
    expect(asHarness(full, gone)).toBe(full);
  });
});
