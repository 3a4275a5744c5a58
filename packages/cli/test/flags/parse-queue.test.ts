import { describe, expect, test } from 'vitest';
import { withBareQueue } from '../../src/flags/bare-queue.ts';
import { parseLedger } from '../../src/real/ledger-address.ts';
import { fromAddress } from '../../src/verify/from-address.ts';
import { parseQueue } from '../../src/flags/parse-queue.ts';

describe('parseQueue', () => {
  test.each([
    [undefined, false, null],
    [undefined, true, { kind: 'none' }],
    ['none', false, { kind: 'none' }],
    ['simulated', false, { kind: 'simulated' }],
    ['redis://127.0.0.1:6379', false, { kind: 'server', address: 'redis://127.0.0.1:6379' }],
    ['rediss://me:secret@cache.example/2', false, { kind: 'server', address: 'rediss://me:secret@cache.example/2' }],
    ['sqs+http://127.0.0.1:4566', false, { kind: 'server', address: 'sqs+http://127.0.0.1:4566' }],
    ['redis:', false, { kind: 'server', address: 'redis:' }],
    ['amqp:', false, { kind: 'server', address: 'amqp:' }],
    ['amqps://me@broker.example/shop', false, { kind: 'server', address: 'amqps://me@broker.example/shop' }],
  ])('reads %s (--no-queue: %s)', (text, isNone, choice) => {
    expect(parseQueue(text, isNone)).toEqual(choice);
  });

  test.each(['', 'redis', 'sqs:', 'http://127.0.0.1:4566', 'kafka://127.0.0.1', 'yes'])(
    'refuses %j with the forms',
    (text) => {
      expect(() => parseQueue(text, false)).toThrow(/simulated, none, .*redis:.*sqs\+http:.*amqp:/);
    },
  );
});

describe('an address that says nothing but its kind', () => {
  const queue = (text: string): unknown => parseQueue(text, false);
  test.each<readonly [flag: string, text: string, read: (text: string) => unknown, missing: string]>([
    ...['postgres://', 'postgresql://', 'postgres:///'].map(
      (text) => ['ledger', text, parseLedger, 'no host and no database'] as const,
    ),
    ...['redis://', 'rediss:///'].map((text) => ['ledger', text, parseLedger, 'no host'] as const),
    ...['redis://', 'sqs+http://', 'amqp://', 'amqps:///'].map((text) => ['queue', text, queue, 'no host'] as const),
    ['ledger', 'postgres://', (text) => fromAddress('ledger', text), 'no host and no database'],
    ['queue', 'amqp://', (text) => fromAddress('queue', text), 'no host'],
  ])('is refused: --%s %s', (flag, text, read, missing) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'FLAG_INVALID',
        message: expect.stringMatching(
          new RegExp(`^--${flag} "${text.replace('+', '.')}" names ${missing}; expected `),
        ) as string,
      }),
    );
  });

  test.each(['postgres:///shop', 'postgres://localhost', 'postgres:///?host=/run/postgresql'])('is not %s', (text) => {
    expect(parseLedger(text)).toBe(text);
  });
});

describe('--queue without a value', () => {
  test.each([
    [['--queue'], ['--queue=simulated']],
    [
      ['--queue', '--json'],
      ['--queue=simulated', '--json'],
    ],
    [
      ['--queue', 'none', '--json'],
      ['--queue', 'none', '--json'],
    ],
    [['--queue=none'], ['--queue=none']],
    [['--no-queue'], ['--no-queue']],
  ])('%j is %j', (given, read) => {
    expect(withBareQueue(given)).toEqual(read);
  });
});
