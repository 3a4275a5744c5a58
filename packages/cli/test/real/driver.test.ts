import { describe, expect, test } from 'vitest';
import { driver } from '../../src/real/driver.ts';

const failing = (error: Error) => (): Promise<never> => Promise.reject(error);

describe('the package behind an address', () => {
  test.each([
    ['Redis', 'ioredis'],
    ['a ledger on PostgreSQL', 'pg'],
    ['a queue in SQS', '@aws-sdk/client-sqs'],
  ])('of %s is asked for by the line that installs it', async (who, name) => {
    const absent = Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(driver(who, name, failing(absent))).rejects.toMatchObject({
      code: 'DRIVER_MISSING',
      message: `${who} needs the '${name}' package; run: npm install ${name}`,
      cause: absent,
    });
  });

  test('keeps its own error where it breaks as it loads', async () => {
    const broken = new SyntaxError('unexpected end');
    await expect(driver('Redis', 'ioredis', failing(broken))).rejects.toBe(broken);
  });
});
