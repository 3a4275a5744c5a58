import type { TelemetryEvent } from '@sendonce/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Terminal } from '../../src/terminal.ts';
import { Vitals } from '../../src/worker/vitals.ts';
import { wordsVoice } from '../../src/worker/voice.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A worker that settles deliveries when it is told to. */
function worker(watched: boolean) {
  const lines: string[] = [];
  const vitals = new Vitals();
  const terminal = { err: (text: string) => void lines.push(text), watched } as unknown as Terminal;
  const voice = wordsVoice(terminal, {
    vitals,
    hashed: (text) => text,
    now: () => 0,
    dueOf: () => Promise.resolve(null),
  });
  const moves = (to: 'sent' | 'processing', times: number): void => {
    const event = { kind: 'delivery.moved', at: 0, id: 'd', to, reason: null } as unknown as TelemetryEvent;
    for (let n = 0; n < times; n++) {
      vitals.note(event);
      voice.event(event);
    }
  };
  return { lines, voice, sends: (times: number) => moves('sent', times), takes: () => moves('processing', 1) };
}

describe('the progress of a worker without a terminal', () => {
  test('is told after a second, and then every ten while something is sent', () => {
    const { lines, sends } = worker(false);
    for (let second = 0; second < 32; second++) {
      sends(10);
      vi.advanceTimersByTime(1_000);
    }
    expect(lines).toEqual(['20 sent\n', '120 sent\n', '220 sent\n', '320 sent\n']);
  });

  test('tells of a burst after a rest how much it was, and nothing while nothing is sent', () => {
    const { lines, sends, takes } = worker(false);
    vi.advanceTimersByTime(60_000);
    sends(44);
    vi.advanceTimersByTime(100);
    sends(1_091);
    vi.advanceTimersByTime(60_000);
    takes();
    vi.advanceTimersByTime(60_000);
    expect(lines).toEqual(['44 sent\n', '1,135 sent\n']);
  });

  test('says nothing more once it is closed', () => {
    const { lines, sends, voice } = worker(false);
    sends(1);
    voice.close();
    vi.advanceTimersByTime(60_000);
    expect(lines).toEqual([]);
  });
});

test('the progress of a worker at a terminal ends in what was sent', () => {
  const { lines, sends } = worker(true);
  for (let n = 0; n < 6; n++) {
    sends(1);
    vi.advanceTimersByTime(30);
  }
  vi.advanceTimersByTime(1_000);
  expect(lines.at(-1)).toContain('6 sent');
});
