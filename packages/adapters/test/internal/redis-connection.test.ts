import { isSendonceError } from '@sendonce/core';
import { afterEach, expect, test, vi } from 'vitest';
import { sending } from '../../src/internal/redis/connection.ts';
import { script } from '../../src/internal/redis/script.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a server that never answers is given up after 30 seconds, and what it says later is not missed by anybody', async () => {
  vi.useFakeTimers();
  let fail: (error: Error) => void = () => undefined;
  const evalsha = (): Promise<unknown> => new Promise((_, reject) => (fail = reject));
  const client = { evalsha, eval: evalsha, pipeline: () => ({ exec: () => Promise.resolve(null) }) };
  const sent = sending(client, 'sendonce')(script('return 1')).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(30_000);
  const error = await sent;
  expect(isSendonceError(error, 'LEDGER_UNAVAILABLE') && error.message).toMatch(/may be repeated/);
  fail(new Error('the connection has ended'));
  await vi.advanceTimersByTimeAsync(1);
  expect(vi.getTimerCount()).toBe(0);
});
