import type { Ledger, NotifierConfig } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { createJudge, type Judge } from '../../src/checkers/index.ts';
import { runOnce } from '../../src/run.ts';
import type { Sender, SenderFactory } from '../../src/senders/sender.ts';
import { eventBound } from '../../src/world/event-bound.ts';
import { knobsOf } from '../../src/world/knobs.ts';
import { decide } from '../../src/senders/parts.ts';
import { SMALL } from './simulate.ts';

const policies = [{ maxAttempts: 5 }] as unknown as Parameters<typeof eventBound>[0]['policies'];
const DAY = 86_400_000;
const bound = (knobs: Parameters<typeof knobsOf>[0], workers = 4, queue = true) =>
  eventBound({ knobs: knobsOf(knobs), workers, queue, policies });

describe('how many events a run may have', () => {
  test('grows with its deliveries, its time and its workers, and with how often these ask', () => {
    const few = bound({})(0, 1);
    expect(bound({})(0, 1_000)).toBeGreaterThan(few);
    expect(bound({})(DAY, 1)).toBeGreaterThan(few);
    expect(bound({}, 8)(DAY, 1)).toBeGreaterThan(bound({}, 4)(DAY, 1));
    for (const often of [{ sweepMs: 100 }, { leaseMs: 1_000 }, { waitMs: 10 }, { waitMs: 0, pollMs: 10 }])
      expect(bound(often)(DAY, 1)).toBeGreaterThan(bound({})(DAY, 1));
    expect(bound({ pollMs: 10 }, 4, false)(DAY, 1)).toBeGreaterThan(bound({}, 4, false)(DAY, 1));
  });

  test('leaves no room for a loop of one millisecond', () => {
    for (const workers of [1, 2, 8]) expect(bound({}, workers)(DAY, 20)).toBeLessThan(DAY / 2);
  });
});

/** Works as the real deciding stage, and beside it goes round without an end. */
function spinner(turn: (ledger: Ledger, config: NotifierConfig, n: number) => Promise<void>): SenderFactory {
  return (config, options): Sender => ({
    async run({ signal }) {
      const spin = async (): Promise<void> => {
        for (let n = 0; !signal.aborted; n++) await turn(config.ledger, config, n);
      };
      await Promise.all([decide(config, options, signal), spin()]);
    },
  });
}

const claim = (ledger: Ledger, n: number) =>
  ledger.claim({ due: 10, lateMs: 0 }, { owner: 'spinner', requestId: `${n}`, leaseMs: 30_000 });

/** Known ways to go round in circles. */
const SPINNERS: readonly (readonly [about: string, make: SenderFactory])[] = [
  [
    'asks for work again at once, and does nothing with it',
    spinner(async (ledger, _, n) => void (await claim(ledger, n))),
  ],
  [
    'claims and gives back',
    spinner(async (ledger, _, n) => {
      const granted = (await claim(ledger, n)).flatMap((verdict) => (verdict.kind === 'granted' ? [verdict] : []));
      await ledger.release(granted.map(({ id, fence }) => ({ id, fence, delayMs: 0, failure: null })));
    }),
  ],
  [
    'claims and gives back ten times a second',
    spinner(async (ledger, config, n) => {
      await config.clock?.sleep(100);
      const granted = (await claim(ledger, n)).flatMap((verdict) => (verdict.kind === 'granted' ? [verdict] : []));
      await ledger.release(granted.map(({ id, fence }) => ({ id, fence, delayMs: 0, failure: null })));
    }),
  ],
];

describe('a worker that goes round in circles', () => {
  const outage = { do: 'outage', op: 'provider.send', entity: '*', nth: 1, phase: 'E', ms: 3_600_000 } as const;
  test.each(SPINNERS.flatMap(([about, make]) => [[], [outage]].map((faults) => ({ about, make, faults }))))(
    'is caught when it $about ($faults.length faults)',
    async ({ make, faults }) => {
      let judge: Judge | undefined;
      const raw = await runOnce({
        setup: SMALL,
        seed: 'spin',
        faults,
        sender: make,
        observe: (context) => [(judge = createJudge(context)).observer],
      });
      const violations = judge?.finish(raw.facts).violations ?? [];
      const broken = violations.map(({ invariant }) => invariant);
      expect(broken).toContain('L4');
      if (raw.end !== 'events') return;
      // It had no time to settle anything.
      expect(broken).not.toContain('L2');
      expect(violations.find(({ invariant }) => invariant === 'L4')?.message).toMatch(
        /^taken up \d+ times since|^the run goes round in circles: ended after \d+ events and \d+ s.*; \d+ deliveries and \d+ notifications are not settled$/,
      );
    },
  );
});
