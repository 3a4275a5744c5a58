import { afterEach, describe, expect, test } from 'vitest';
import { keepPassword, withPassword } from '../../src/real/password.ts';
import { masked, named, nameIn } from '../../src/real/address.ts';

afterEach(() => {
  delete process.env['SENDONCE_QUEUE_PASSWORD'];
});

describe('the password of an address', () => {
  test.each([
    ['redis://:s3cret@127.0.0.1:6379/2', 'redis://127.0.0.1:6379/2', 's3cret'],
    ['amqp://me:p%40ss@host/shop', 'amqp://me@host/shop', 'p@ss'],
    ['amqp://me@host', 'amqp://me@host', undefined],
  ])('of %s goes into the environment, and comes back where it is connected to', (given, shown, password) => {
    const address = named(keepPassword(given, 'SENDONCE_QUEUE_PASSWORD'), 'run-1');
    expect([address, process.env['SENDONCE_QUEUE_PASSWORD']]).toEqual([`${shown}#run-1`, password]);
    expect(nameIn(address)).toBe('run-1');
    expect(withPassword(address, 'SENDONCE_QUEUE_PASSWORD')).toBe(given);
  });

  test.each([
    ['mysql://me:s3cret@host/db', 'mysql://me:...@host/db'],
    ['kafka://host:9092', 'kafka://host:9092'],
    ['run.db', 'run.db'],
  ])('is not in an error about %s', (given, shown) => {
    expect(masked(given)).toBe(shown);
  });
});
