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

  test.each(FAULTS)('is that its folder was removed, whatever noticed it first: %s', async (error) => {
    expect(await asHarness(error, gone)).toMatchObject({
      code: 'HARNESS_FAILED',
      message: expect.stringMatching(
        /^the folder of the run, .*gone, was removed under it: .*Nothing is known/,
      ) as string,
    });
  });

  test.each(FAULTS)('is what it says while the folder is there: %s', async (error) => {
    expect(await asHarness(error, folder)).toBe(error);
  });

  test('is that its folder was removed, although the ledger in it was missed before the folder was', async () => {
    const going = mkdtempSync(join(folder, 'going-'));
    const told = asHarness(new SendonceError('LEDGER_UNAVAILABLE', 'unable to open database file'), going);
    rmSync(going, { recursive: true });
    expect(await told).toMatchObject({ code: 'HARNESS_FAILED', message: expect.stringContaining('removed') as string });
  });

  test('is a failed harness once, however often it is asked, and a ledger without room is one', async () => {
    const full = await asHarness(new SendonceError('LEDGER_FULL', 'database or disk is full'), folder);
    expect(full).toMatchObject({ code: 'HARNESS_FAILED' });
    expect(await asHarness(full, gone)).toBe(full);
  });
});
