import fc from 'fast-check';
import { CLASS_POLICIES } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import type { HistoryEvent } from '../src/history.ts';
import { traceHash } from '../src/trace-hash.ts';
import { Story } from './support/story.ts';

function hashOf(events: readonly HistoryEvent[]): string {
  const hash = traceHash();
  for (const event of events) hash.on(event);
  return hash.digest();
}

const story = new Story(3, { policyOf: () => CLASS_POLICIES.document });
story.add().fault({ ms: 250 }).queue('receive', 'd_0', 'r1').deliver(0).claim(1).mark(1).settle(1, 'unknown').sweep(1);
story
  .reconcile(1, { kind: 'declare', declaration: 'resend', provider: 'p0', delayMs: 0 }, 'retry-scheduled')
  .deliver(1);
story
  .cancel('d_2', { kind: 'cancelled', tooLate: ['d_1'] })
  .event({ kind: 'epoch', lost: 0.5, evicted: ['d_2'] })
  .event({ kind: 'heal' });
const { events } = story;

/** The paths of everything in a value that is no object. */
function leaves(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([field, inner]) => leaves(inner, [...path, field]));
}

function changed(value: unknown, path: readonly string[], change: (leaf: unknown) => unknown): unknown {
  const [field, ...rest] = path;
  if (field === undefined) return change(value);
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  const fields = copy as Record<string, unknown>;
  fields[field] = changed(fields[field], rest, change);
  return copy;
}

const CHANGES: Readonly<Record<string, (leaf: unknown) => unknown>> = {
  'another value': (leaf) => {
    if (typeof leaf === 'number') return leaf + 1;
    if (typeof leaf === 'boolean') return !leaf;
    return typeof leaf === 'string' ? `${leaf}.` : '';
  },
  nothing: (leaf) => (leaf === null ? undefined : null),
  'another kind of value': (leaf) => (typeof leaf === 'string' ? 0 : 'x'),
};

describe('the trace hash', () => {
  test('is the same for the same history', () => {
    expect(hashOf(structuredClone(events))).toBe(hashOf(events));
    expect(hashOf(events)).toMatch(/^[0-9a-f]{16}$/);
  });

  test('of nothing is not that of something', () => {
    expect(hashOf([])).not.toBe(hashOf(events.slice(0, 1)));
  });

  test.each(Object.keys(CHANGES))('changes when any one field of any event becomes %s', (name) => {
    const original = hashOf(events);
    const paths = events.flatMap((event, at) => leaves(event).map((path) => ({ at, path })));
    expect(paths.length).toBeGreaterThan(200);
    const same = paths.filter(({ at, path }) => {
      const event = changed(events[at], path, CHANGES[name]!) as HistoryEvent;
      return hashOf(events.with(at, event)) === original;
    });
    expect(same).toEqual([]);
  });

  test('changes when a field has another name', () => {
    const named = (field: string): HistoryEvent =>
      ({ at: 1, process: 'w1', kind: 'heal', [field]: 1 }) as unknown as HistoryEvent;
    expect(hashOf([named('one')])).not.toBe(hashOf([named('two')]));
  });

  test('changes when two events change places, one is left out, or one comes twice', () => {
    const original = hashOf(events);
    fc.assert(
      fc.property(fc.nat(events.length - 2), (at) => {
        const one = events[at]!;
        const two = events[at + 1]!;
        expect(hashOf(events.with(at, two).with(at + 1, one))).not.toBe(original);
        expect(hashOf(events.toSpliced(at, 1))).not.toBe(original);
        expect(hashOf(events.toSpliced(at, 0, one))).not.toBe(original);
      }),
    );
  });

  test('tells values apart that look alike', () => {
    const values = [
      0,
      -0,
      1,
      -1,
      0.1,
      1e300,
      Infinity,
      NaN,
      2 ** 32,
      2 ** 32 + 1,
      '0',
      '',
      'a',
      'b',
      'ab',
      'ba',
      true,
      false,
      null,
      [],
      {},
      [[]],
      [0],
      { a: 0 },
      1n,
    ];
    const hashes = values.map((value) =>
      hashOf([{ at: 1, process: 'w1', kind: 'heal', value } as unknown as HistoryEvent]),
    );
    expect(new Set(hashes).size).toBe(values.length);
  });

  test('does not collide over 100,000 histories that differ in one number', () => {
    const hashes = new Set(Array.from({ length: 100_000 }, (_, at) => hashOf([{ at, process: 'w1', kind: 'heal' }])));
    expect(hashes.size).toBe(100_000);
  });
});
