import { SendonceError, type ErrorCode, type Ledger } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { firstContact } from '../../src/worker/first-contact.ts';

function failing(code: ErrorCode): Pick<Ledger, 'count'> {
  return { count: () => Promise.reject(new SendonceError(code, 'no')) };
}

describe('a worker that meets its ledger for the first time', () => {
  test.each(['DRIVER_MISSING', 'LEDGER_CORRUPT', 'LEDGER_NEWER', 'OPTION_INVALID'] as const)(
    'ends with %s, which no waiting mends',
    async (code) => {
      await expect(firstContact(failing(code))).rejects.toMatchObject({ code });
    },
  );

  test.each(['LEDGER_UNAVAILABLE', 'LEDGER_LOCKED', 'LEDGER_FULL', 'LEDGER_READ_ONLY'] as const)(
    'waits for what may pass: %s',
    async (code) => {
      expect(await firstContact(failing(code))).toMatchObject({ code });
    },
  );
});
