import fc from 'fast-check';
import type { NotifierConfig } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { parsePlan } from '../../src/faults/parse.ts';
import { limitsIn } from '../../src/world/limits.ts';
import { lostReplies } from '../../src/search/lost-replies.ts';
import { SETUP, caseOf } from './support.ts';

const of = (recipients: number | readonly number[], share = 0.05) =>
  lostReplies(caseOf([], { recipients }), share, null);
const entities = (faults: ReturnType<typeof of>): string[] => faults.map(({ entity }) => entity);

describe('the faults of a share of lost replies', () => {
  test('are about that share of the recipients, each at the first send', () => {
    expect(of(20_000).length).toBeGreaterThan(900);
    expect(of(20_000).length).toBeLessThan(1_100);
    expect(of(20_000)[0]).toEqual({
      do: 'reply-lost',
      op: 'provider.send',
      entity: expect.stringMatching(/^r\d+$/) as string,
      nth: 1,
      phase: 'A',
    });
    expect([of(50, 0).length, of(50, 1).length]).toEqual([0, 50]);
  });

  test('are a valid plan, and a draw per recipient: whoever is left out changes nobody else’s', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 999 })), (numbers) => {
        expect(parsePlan(of(numbers), limitsIn(SETUP, null))).toEqual(of(numbers));
        const whole = new Set(entities(of(1_000)));
        expect(entities(of(numbers))).toEqual(numbers.map((n) => `r${n}`).filter((entity) => whole.has(entity)));
      }),
    );
  });

  test('differ from seed to seed', () => {
    expect(lostReplies({ ...caseOf([]), seed: 'another' }, 0.05, null)).not.toEqual(of(200));
  });

  test('are about drawn sends where the recipients of a config are not known yet', () => {
    const config = { notifications: { a: { route: () => [] }, b: {} } } as unknown as NotifierConfig;
    const faults = lostReplies(caseOf([], { recipients: 20 }), 1, {
      kind: 'config',
      config,
      samples: 20,
      targets: null,
    });
    expect(new Set(entities(faults))).toEqual(new Set(['*']));
    expect(faults.map(({ nth }) => nth)).toEqual(Array.from({ length: 80 }, (_, n) => n + 1));
  });
});
