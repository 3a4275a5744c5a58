import { describe, expect, test } from 'vitest';
import { manualClock } from '../../src/memory/index.ts';
import { Nap } from '../../src/worker/nap.ts';

describe('a nap', () => {
  test('ends when its time is over', async () => {
    const clock = manualClock();
    let awake = false;
    void new Nap(clock).sleep(1_000).then(() => (awake = true));
    await clock.advance(999);
    expect(awake).toBe(false);
    await clock.advance(1);
    expect(awake).toBe(true);
  });

  test('ends at a call', async () => {
    const clock = manualClock();
    const nap = new Nap(clock);
    const slept = nap.sleep(1_000);
    nap.wake();
    await slept;
    expect(clock.sleepers()).toBe(0);
  });

  test('does not begin where the call came just before it, once', async () => {
    const clock = manualClock();
    const nap = new Nap(clock);
    nap.wake();
    nap.wake();
    await nap.sleep(1_000);
    void nap.sleep(1_000);
    expect(clock.sleepers()).toBe(1);
  });
});
