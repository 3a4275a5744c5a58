import { DELIVERY_STATES, TRANSITIONS } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { INVARIANTS, LATER } from '../src/checkers/index.ts';
import { coverage, scheduleCoverage } from '../src/coverage.ts';
import type { HistoryEvent } from '../src/history.ts';
import type { Fault } from '../src/plan.ts';
import { recorder } from '../src/recorder.ts';
import { Story } from './support/story.ts';

const lost: Fault = { do: 'lost-reply', op: 'provider.send', entity: 'r0', nth: 1, phase: 'A' };
const kill: Fault = { do: 'kill', acceptance: 800, moment: 'after-accept' };

function fault(what: 'armed' | 'fired' | 'healed', which: Fault): HistoryEvent {
  return { at: 0, process: 'w1', kind: 'fault', what, index: 0, fault: which, entity: null };
}

describe('coverage', () => {
  test('counts faults by kind, site and phase, armed and fired', () => {
    const whole = coverage();
    for (const events of [
      [fault('armed', lost), fault('armed', kill), fault('fired', kill)],
      [fault('armed', lost), fault('fired', lost), fault('healed', lost)],
    ]) {
      const schedule = scheduleCoverage();
      for (const event of events) schedule.on(event);
      whole.add(schedule.end([]));
    }
    expect(whole.data().schedules).toBe(2);
    expect(whole.data().faults).toEqual([
      { kind: 'kill', op: 'acceptance', phase: 'after-accept', armed: 1, fired: 1 },
      { kind: 'lost-reply', op: 'provider.send', phase: 'A', armed: 2, fired: 1 },
    ]);
  });

  test('knows which kinds fired in which order in one schedule', () => {
    const whole = coverage();
    const orders: readonly (readonly Fault[])[] = [[lost, kill], [lost, kill, lost], [kill]];
    for (const faults of orders) {
      const schedule = scheduleCoverage();
      for (const each of faults) schedule.on(fault('fired', each));
      whole.add(schedule.end([]));
    }
    expect(whole.data().pairs).toEqual([
      { first: 'kill', then: 'lost-reply', schedules: 1 },
      { first: 'lost-reply', then: 'kill', schedules: 2 },
      { first: 'lost-reply', then: 'lost-reply', schedules: 1 },
    ]);
  });

  test('sets the declared moves that the judge saw against all', () => {
    const whole = coverage();
    const story = new Story(2)
      .add()
      .deliver(0)
      .claim(1)
      .event({
        kind: 'release',
        request: { id: 'd_1', fence: 105, delayMs: 10, failure: null },
        verdict: { kind: 'ok' },
      });
    whole.add(scheduleCoverage().end(story.deliver(1).judge().moves));
    whole.add(scheduleCoverage().end(new Story(1).add().deliver(0).judge().moves));
    const { moves } = whole.data();
    expect(moves.seen).toEqual([
      { from: 'queued', to: 'processing', times: 4 },
      { from: 'processing', to: 'queued', times: 1 },
      { from: 'processing', to: 'dispatching', times: 3 },
      { from: 'dispatching', to: 'sent', times: 3 },
    ]);
    expect(moves.declared).toBe(DELIVERY_STATES.reduce((sum, state) => sum + TRANSITIONS[state].length, 0));
    expect(moves.seen.length + moves.unseen.length).toBe(moves.declared);
  });

  test('names what is judged, and what is promised for later', () => {
    expect(coverage().data().invariants).toEqual({ checked: INVARIANTS, later: LATER });
    expect(LATER.map(({ invariant }) => invariant)).toContain('S16');
  });
});

describe('the recorder', () => {
  test('keeps every event in order', () => {
    const { events } = new Story(2).add().deliverRest();
    const kept = recorder();
    for (const event of events) kept.on(event);
    expect(kept.events).toEqual(events);
    expect(kept.dropped).toBe(0);
  });

  test('keeps the first ones up to its bound and counts the rest', () => {
    const { events } = new Story(2).add().deliverRest();
    const kept = recorder({ max: 3 });
    for (const event of events) kept.on(event);
    expect(kept.events).toEqual(events.slice(0, 3));
    expect(kept.dropped).toBe(events.length - 3);
  });
});
