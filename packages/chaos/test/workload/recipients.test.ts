import { addressProblem, normaliseAddress } from '@sendonce/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameOf, seededTarget } from '../../src/workload/recipient.ts';
import { makeWorkload } from '../../src/workload/make-workload.ts';
import { knobsOf } from '../../src/world/knobs.ts';
import { SMALL } from '../world/simulate.ts';

const CHANNELS = ['email', 'sms', 'whatsapp', 'push', 'slack'] as const;

describe('recipients from a seed', () => {
  test('are valid addresses of their channel, and differ from all others', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...CHANNELS), fc.nat({ max: 1_000_000 }), (seed, channel, from) => {
        const targets = Array.from({ length: 300 }, (_, n) => seededTarget(seed, from + n, channel));
        expect(targets.map(({ to }) => addressProblem(channel, to)).filter((problem) => problem !== null)).toEqual([]);
        expect(new Set(targets.map(({ to }) => normaliseAddress(channel, to))).size).toBe(300);
      }),
      { numRuns: 50 },
    );
  });

  test('are a function of seed and number alone', () => {
    expect(seededTarget(4, 17, 'email')).toEqual(seededTarget(4, 17, 'email'));
    expect(seededTarget(4, 17, 'email').to).not.toBe(seededTarget(5, 17, 'email').to);
  });

  test('have accents, plus-tags, capitals, long parts and many scripts among them', () => {
    const targets = Array.from({ length: 2_000 }, (_, n) => seededTarget(1, n, 'email'));
    const addresses = targets.map(({ to }) => to);
    for (const pattern of [/[À-ÿ]/, /\+/, /[A-Z]{3}/, /^.{40,}@/, /\p{Script=Han}|\p{Script=Cyrillic}/u])
      expect(
        addresses.some((to) => pattern.test(to)),
        String(pattern),
      ).toBe(true);
    const names = targets.map((_, n) => nameOf(1, n)).join(' ');
    for (const script of [/\p{Script=Greek}/u, /\p{Script=Arabic}/u, /\p{Script=Hangul}/u, /[łøåñçüß]/])
      expect(names).toMatch(script);
  });
});

describe('a workload', () => {
  test('of chosen recipients asks for these numbers alone', () => {
    const workload = makeWorkload(null, { ...SMALL, recipients: [4, 9] }, 1, knobsOf({}));
    const all = [...(workload.publication(0).recipients?.() ?? [])];
    expect(all.map((target) => target['number'])).toEqual([4, 9]);
  });

  test('from a list publishes the doubles of those who are in this run, under the same number', () => {
    const targets = ['a@example.com', 'b@example.com'].map((to) => ({ channel: 'email', to }) as const);
    const doubles = ['B@example.com', 'A@example.com'].map((to) => ({ channel: 'email', to }) as const);
    const workload = makeWorkload(
      { kind: 'recipients', targets, doubles },
      { ...SMALL, recipients: [1] },
      1,
      knobsOf({}),
    );
    expect([...(workload.publication(0).recipients?.() ?? [])]).toEqual([
      { channel: 'email', to: 'b@example.com', number: 1 },
      { channel: 'email', to: 'B@example.com', number: 1 },
    ]);
    expect(workload.input).toEqual({ rows: 2, merged: 1, invalid: 0 });
  });
});
