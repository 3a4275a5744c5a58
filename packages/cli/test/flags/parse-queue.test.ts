import { describe, expect, test } from 'vitest';
import { withBareQueue } from '../../src/flags/bare-queue.ts';
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
