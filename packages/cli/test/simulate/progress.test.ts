import { describe, expect, test } from 'vitest';
import { progressLine, progressWords } from '../../src/simulate/progress.ts';

const state = (wallMs: number, schedules = 3): Parameters<typeof progressWords>[0] => ({
  schedules,
  ofSchedules: 100,
  settled: 6000,
  shrinking: false,
  wallMs,
});

function written(watched: boolean, times: readonly number[]): string[] {
  const texts: string[] = [];
  const line = progressLine({ watched, err: (text) => texts.push(text) });
  for (const ms of times) line.update(state(ms));
  line.clear();
  line.clear();
  return texts;
}

describe('progress', () => {
  test('says how far it is and how fast', () => {
    expect(progressWords(state(2_000))).toBe('3 of 100 schedules, 6,000 recipients settled, 3,000/s, 2 s');
    expect(progressWords({ ...state(2_000), ofSchedules: null })).toBe(
      '3 schedules, 6,000 recipients settled, 3,000/s, 2 s',
    );
  });

  test.each([
    [1, 100, 2, '1 of 100 schedules, 2 recipients settled, 1/s, 2 s'],
    [0, 1, 1, '0 of 1 schedule, 1 recipient settled, 1/s, 2 s'],
    [1, null, 2, '1 schedule, 2 recipients settled, 1/s, 2 s'],
  ])('counts in words that fit: %s of %s, %s', (schedules, ofSchedules, settled, words) => {
    expect(progressWords({ ...state(2_000, schedules), ofSchedules, settled })).toBe(words);
  });

  test('goes on, in other words, while the smallest plan is looked for', () => {
    const texts: string[] = [];
    const line = progressLine({ watched: true, err: (text) => texts.push(text) });
    line.update({ ...state(4_200, 100), shrinking: true });
    line.update(state(4_400, 100));
    expect(texts).toEqual(['\r\u001b[2Ka schedule failed; looking for the smallest plan that fails, 4 s']);
  });

  test('overwrites itself ten times a second where somebody watches, and leaves nothing behind', () => {
    const line = (ms: number): string => `\r\u001b[2K${progressWords(state(ms))}`;
    expect(written(true, [0, 50, 120, 150, 230])).toEqual([line(120), line(230), '\r\u001b[2K']);
  });

  test('writes a plain line after a second and then every ten elsewhere', () => {
    expect(written(false, [200, 1_100, 10_000, 11_100, 15_000, 22_000])).toEqual([
      `${progressWords(state(1_100))}\n`,
      `${progressWords(state(11_100))}\n`,
      `${progressWords(state(22_000))}\n`,
    ]);
  });
});
