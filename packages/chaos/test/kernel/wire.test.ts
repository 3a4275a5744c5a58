import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/kernel/call.ts';
import { end } from '../../src/kernel/process.ts';
import type { Life } from '../../src/kernel/process.ts';
import { toySite, toyWorld } from './toy.ts';

/** One process makes one call, with a fault set on it; answers what was applied and what the caller saw, each with its time. */
async function oneCall(strike: (call: Call, life: Life) => void, atApply: (life: Life) => void = () => {}) {
  const world = toyWorld();
  const { kernel, wire } = world;
  const log: string[] = [];
  let caller: Life | undefined;
  const site = toySite(
    'ledger.mark',
    (text: string) => {
      log.push(`applied ${kernel.now}`);
      atApply(caller as Life);
      return text.toUpperCase();
    },
    { requestMs: [2, 2], replyMs: [3, 3] },
  );
  wire.strikers[0] = (call) => strike(call, caller as Life);
  world.start('w1', async (life) => {
    caller = life;
    await world.clock(life).sleep(10);
    try {
      log.push(`saw ${await wire.call(life, site, 'go')} ${kernel.now}`);
    } catch (error) {
      log.push(`saw ${(error as Error).message} ${kernel.now}`);
    } finally {
      log.push('went on');
    }
  });
  await world.run();
  return { log, busy: wire.busy };
}

const cases: readonly [what: string, strike: (call: Call, life: Life) => void, log: readonly string[]][] = [
  ['nothing in the way', () => {}, ['applied 12', 'saw GO 15', 'went on']],
  ['the request lost', (call) => void (call.requestLost = true), ['saw ledger.mark: no answer 5010', 'went on']],
  [
    'the reply lost',
    (call) => void (call.replyLost = true),
    ['applied 12', 'saw ledger.mark: no answer 5010', 'went on'],
  ],
  [
    'the reply lost after it was applied',
    (call) => call.addAfter((applied) => void (applied.replyLost = true)),
    ['applied 12', 'saw ledger.mark: no answer 5012', 'went on'],
  ],
  ['the request late', (call) => void (call.extraRequestMs = 100), ['applied 112', 'saw GO 115', 'went on']],
  ['the reply late', (call) => void (call.extraReplyMs = 100), ['applied 12', 'saw GO 115', 'went on']],
  [
    'the request later than the caller waits',
    (call) => {
      call.extraRequestMs = 100;
      call.givesUpAfterMs = 50;
    },
    ['saw ledger.mark: no answer 60', 'went on', 'applied 112'],
  ],
  ['a second copy', (call) => void (call.copyAfterMs = 40), ['applied 12', 'saw GO 15', 'went on', 'applied 52']],
  ['a refusal', (call) => call.refuse({ kind: 'error', error: new Error('busy') }), ['saw busy 12', 'went on']],
  [
    'another answer',
    (call) => call.addAfter((applied) => void (applied.answer = { kind: 'value', value: 'other' })),
    ['applied 12', 'saw other 15', 'went on'],
  ],
  [
    'an answer held back by something else',
    (call) => call.addAfter(async () => {}),
    ['applied 12', 'saw GO 15', 'went on'],
  ],
  [
    'a request held back by something else',
    (call) => void (call.before = Promise.resolve()),
    ['applied 12', 'saw GO 15', 'went on'],
  ],
  ['the caller killed before the request leaves', (_call, life) => end(life.process), []],
  ['the caller killed before the reply', (call) => call.addAfter(({ life }) => end(life.process)), ['applied 12']],
  [
    'the caller paused before the first byte',
    (_call, life) => void (life.process.pausedUntil = 500),
    ['applied 502', 'saw GO 505', 'went on'],
  ],
  [
    'the caller paused before it sees the reply',
    (call) => call.addAfter(({ life }) => void (life.process.pausedUntil = 500)),
    ['applied 12', 'saw GO 500', 'went on'],
  ],
  [
    'a partition both ways',
    (_call, life) => void life.process.partitionedFrom.set('ledger', { ways: 'both', until: 50 }),
    ['saw ledger.mark: no answer 5010', 'went on'],
  ],
  [
    'a partition of replies',
    (_call, life) => void life.process.partitionedFrom.set('ledger', { ways: 'replies', until: 50 }),
    ['applied 12', 'saw ledger.mark: no answer 5010', 'went on'],
  ],
  [
    'a partition from somebody else',
    (_call, life) => void life.process.partitionedFrom.set('queue', { ways: 'both', until: 50 }),
    ['applied 12', 'saw GO 15', 'went on'],
  ],
  [
    'a partition that is over',
    (_call, life) => void life.process.partitionedFrom.set('ledger', { ways: 'both', until: 10 }),
    ['applied 12', 'saw GO 15', 'went on'],
  ],
];

describe('a call', () => {
  test.each(cases)('with %s shows its moments in order, and leaves nothing on the wire', async (_what, strike, log) => {
    expect(await oneCall(strike)).toEqual({ log, busy: 0 });
  });

  test('applies a request that was on the wire when its caller was killed', async () => {
    const { log } = await oneCall(
      () => {},
      (life) => end(life.process),
    );
    expect(log).toEqual(['applied 12']);
  });

  test('of a caller that died before never settles and never arrives', async () => {
    const { wire, run, start, clock } = toyWorld();
    const applied: string[] = [];
    const site = toySite('ledger.mark', (text: string) => applied.push(text));
    start('w1', async (life) => {
      await clock(life).sleep(1);
      end(life.process);
      await wire.call(life, site, 'from the grave');
      applied.push('went on');
    });
    await run();
    expect(applied).toEqual([]);
  });

  test('that throws at the other side rejects at its caller', async () => {
    const { wire, run, start } = toyWorld();
    const seen: unknown[] = [];
    const site = toySite('ledger.mark', (): string => {
      throw new Error('serialization failure');
    });
    start('w1', async (life) => void (await wire.call(life, site, 'x').catch((error: unknown) => seen.push(error))));
    await run();
    expect(String(seen[0])).toContain('serialization failure');
  });

  test('draws the same way whatever other processes do', async () => {
    const times = async (others: number): Promise<number[]> => {
      const { kernel, wire, run, start } = toyWorld(9);
      const site = toySite('ledger.mark', () => null, { requestMs: [1, 500], replyMs: [1, 500] });
      const seen: number[] = [];
      for (let other = 0; other < others; other++)
        start(`other${other}`, async (life) => void (await wire.call(life, site, null)));
      start('w1', async (life) => {
        for (let n = 0; n < 5; n++) {
          await wire.call(life, site, null);
          seen.push(kernel.now);
        }
      });
      await run();
      return seen;
    };
    expect(await times(7)).toEqual(await times(0));
  });
});
