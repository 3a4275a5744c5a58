import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Agenda, type Entry } from '../../src/kernel/agenda.ts';

function entry(rank: number): Entry {
  return { rank, cancelled: false, instant: null, fire: () => {} };
}

describe('the agenda', () => {
  test('hands out instants by time and their entries by rank, whatever the order of adding', () => {
    const due = fc.record({ at: fc.nat({ max: 3 }), rank: fc.nat({ max: 1_000 }) });
    // Few times, so that instants are small and large, which are sorted in two ways.
    const some = fc.uniqueArray(due, { selector: ({ at, rank }) => `${at}/${rank}`, maxLength: 100, size: 'max' });
    fc.assert(
      fc.property(some, (dues) => {
        const agenda = new Agenda();
        for (const { at, rank } of dues) agenda.add(at, entry(rank));
        const seen: { at: number; rank: number }[] = [];
        for (let instant = agenda.take(); instant !== null; instant = agenda.take())
          for (const { rank } of instant.entries) seen.push({ at: instant.at, rank });
        expect(seen).toEqual([...dues].sort((a, b) => a.at - b.at || a.rank - b.rank));
      }),
    );
  });

  test('skips an instant whose entries were all cancelled', () => {
    const agenda = new Agenda();
    const first = entry(1);
    agenda.add(5, first);
    agenda.add(9, entry(2));
    agenda.cancel(first);
    agenda.cancel(first);
    expect(agenda.nextAt()).toBe(9);
    expect(agenda.take()?.at).toBe(9);
    expect(agenda.nextAt()).toBe(Infinity);
    expect(agenda.take()).toBeNull();
  });

  test('makes a new instant for what is added at a time that was taken already', () => {
    const agenda = new Agenda();
    agenda.add(5, entry(1));
    expect(agenda.take()?.entries).toHaveLength(1);
    agenda.add(5, entry(2));
    expect(agenda.take()?.entries.map(({ rank }) => rank)).toEqual([2]);
  });
});
