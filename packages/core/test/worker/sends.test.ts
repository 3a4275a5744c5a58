import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/index.ts';
import { manualClock, seededRandom } from '../../src/memory/index.ts';
import type { Context } from '../../src/stages/context.ts';
import type { Marked } from '../../src/stages/deliver.ts';
import { Health } from '../../src/worker/health.ts';
import { Sends } from '../../src/worker/sends.ts';
import type { Ended, Settler } from '../../src/worker/settler.ts';
import { delivery } from '../support/record.ts';

const ACCEPTED: Outcome = { kind: 'accepted', providerMessageId: 'm-1' };

function make() {
  const clock = manualClock();
  const ended: { readonly id: string; readonly outcome: string; readonly late: boolean; readonly at: number }[] = [];
  const add = ({ item, outcome, late }: Ended): void =>
    void ended.push({ id: item.prepared.granted.record.id, outcome: outcome.kind, late, at: clock.monotonic() });
  const health = new Health({ clock, random: seededRandom(1), emit: () => undefined }, 'w');
  const sends = new Sends({ clock } as unknown as Context, {
    settler: { add } as unknown as Settler,
    health,
    answered: () => undefined,
  });
  const start = (...items: readonly Marked[]): void => sends.start(items, new Map());
  return { clock, ended, sends, start };
}

/** A marked attempt whose provider answers after `answerMs`; Infinity: never. */
function marked(clock: ReturnType<typeof manualClock>, id: string, deadlineMs: number, answerMs: number): Marked {
  const send = (): Promise<Outcome> =>
    answerMs === Infinity ? new Promise(() => undefined) : clock.sleep(answerMs).then(() => ACCEPTED);
  const prepared = { granted: { record: delivery({ id }) }, provider: { name: 'p0', send } };
  return {
    prepared,
    key: 'k',
    attempt: 1,
    message: {},
    monotonicDeadline: deadlineMs,
    wallDeadline: deadlineMs,
  } as unknown as Marked;
}

describe('the watch over sends', () => {
  test.each([
    { case: 'the sooner one started first', deadlines: [100, 500] },
    { case: 'the later one started first', deadlines: [500, 100] },
    { case: 'both at once', deadlines: [300, 300] },
  ])('gives each call up at its own deadline: $case', async ({ deadlines }) => {
    const { clock, ended, start } = make();
    deadlines.forEach((deadline) => start(marked(clock, `d_${deadline}`, deadline, Infinity)));
    await clock.advance(1_000);
    expect(ended.map(({ outcome, at }) => [outcome, at])).toEqual(
      [...deadlines].sort((a, b) => a - b).map((deadline) => ['unknown', deadline]),
    );
  });

  test('watches again for what starts after everything had ended', async () => {
    const { clock, ended, start } = make();
    start(marked(clock, 'd_1', 100, 10));
    await clock.advance(50);
    start(marked(clock, 'd_2', 200, Infinity));
    await clock.advance(1_000);
    expect(ended.map(({ id, outcome, at }) => [id, outcome, at])).toEqual([
      ['d_1', 'accepted', 10],
      ['d_2', 'unknown', 200],
    ]);
  });

  test('keeps what a provider says after its deadline as evidence, and does not wait for it to end', async () => {
    const { clock, ended, sends, start } = make();
    start(marked(clock, 'd_1', 100, 900));
    let isOver = false;
    const over = sends.settled().then(() => (isOver = true));
    await clock.advance(50);
    expect(isOver).toBe(false);
    await clock.advance(100);
    await over;
    await clock.advance(1_000);
    expect(ended.map(({ outcome, late, at }) => [outcome, late, at])).toEqual([
      ['unknown', false, 100],
      ['accepted', true, 900],
    ]);
  });
});
