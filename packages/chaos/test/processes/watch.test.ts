import { memoryLedger } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { seenAfter, watch } from '../../src/processes/watch.ts';

const folder = mkdtempSync(join(tmpdir(), 'sendonce-watch-'));
const mailbox = join(folder, 'mailbox.ndjson');
writeFileSync(mailbox, '');
afterAll(() => rmSync(folder, { recursive: true }));

describe('a run that is watched', () => {
  const before = { state: 'a', movedAt: 100 };
  test.each([
    ['nothing moved', { at: 150, state: 'a', isBusy: false }, 100],
    ['a record or the mailbox moved', { at: 150, state: 'b', isBusy: false }, 150],
    ['somebody is busy with what no record shows', { at: 150, state: 'a', isBusy: true }, 150],
  ])('has moved or not when %s', (_when, look, movedAt) => {
    expect(seenAfter(before, look)).toEqual({ state: look.state, movedAt });
  });

  test.each([
    ['is empty', 0, 0],
    ['still holds wakes', 3, 200],
    ['does not say what it holds', Infinity, 200],
  ])('is settled though its queue %s, and not before the queue had its time', async (_how, depth, leastMs) => {
    const startedAt = performance.now();
    const end = await watch({
      ledger: memoryLedger({ clock: systemClock }),
      mailbox,
      patience: { quietMs: 60_000, drainMs: 200, mostMs: 60_000 },
      now: () => systemClock.now(),
      signal: new AbortController().signal,
      checkRoom: () => undefined,
      checkOthers: () => undefined,
      mayBeAway: () => false,
      onSettled: () => undefined,
      isPublished: () => true,
      isQuiet: () => true,
      isComplete: () => true,
      depth: () => Promise.resolve(depth),
    });
    expect(end).toBe('settled');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(leastMs);
  });
});
