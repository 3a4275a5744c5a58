import { describe, expect, test } from 'vitest';
import { longerBy, unprovenUntil, type ServerStrike } from '../../src/processes/server-faults.ts';
import { knobsOf } from '../../src/world/knobs.ts';

const knobs = knobsOf({ dispatchMs: 3_000, visibilityMs: 2_000 });

function strike(what: ServerStrike['do'], server: ServerStrike['server'], at: number): ServerStrike {
  return { do: what, server, acceptance: 8, startedAt: at - 100, at };
}

describe('after the server of the ledger was struck', () => {
  test.each([
    ['nothing happened', [], true, 0],
    ['it was the queue’s', [strike('restart', 'queue', 5_000)], true, 0],
    ['it came back and stands still', [strike('restart', 'ledger', 5_000)], true, 10_100],
    ['it came back with all that it knew', [strike('restart', 'ledger', 5_000)], false, 5_100],
  ])('orphans may wait longer when %s', (_what, strikes, isForgetful, ms) => {
    expect(longerBy(strikes, { knobs, isForgetful })).toBe(ms);
  });

  test.each([
    ['nothing was forgotten', [strike('restart', 'ledger', 5_000), strike('wipe', 'queue', 6_000)], null],
    ['it was wiped, and once more', [strike('wipe', 'ledger', 5_000), strike('wipe', 'ledger', 7_000)], 10_000],
  ])('marks are missing for a dispatch window when %s', (_what, strikes, until) => {
    expect(unprovenUntil(strikes, knobs)).toBe(until);
  });
});
