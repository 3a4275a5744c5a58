import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { onAbort, whileAny } from '../../src/stages/on-abort.ts';

test('many who wait for the end of one signal are one listener, and each is called once', () => {
  const stop = new AbortController();
  const called: number[] = [];
  const forget = Array.from({ length: 50 }, (_, i) => onAbort(stop.signal, () => void called.push(i)));
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
  forget[7]?.();
  stop.abort();
  expect(called).toEqual(Array.from({ length: 50 }, (_, i) => i).filter((i) => i !== 7));
  onAbort(stop.signal, () => void called.push(99));
  expect(called.at(-1)).toBe(99);
});

test('work for several goes on until the last of them has ended', async () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const seen: boolean[] = [];
  await whileAny([one.signal, two.signal, one.signal], async (signal) => {
    one.abort();
    seen.push(signal.aborted);
    two.abort();
    seen.push(signal.aborted);
  });
  expect(seen).toEqual([false, true]);
});
