import { describe, expect, test } from 'vitest';
import type { HistoryEvent } from '../../src/history.ts';
import { clock, timeline } from '../../src/report/timeline.ts';
import { claims, event, lostReply, marks, sends, settles, story } from './fixtures.ts';

const recipientOf = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`d_${i}`, `r${i}`]));
const show = (events: readonly HistoryEvent[], more: object = {}): string =>
  timeline(events, { recipientOf, ...more }).join('\n');

/** What a healthy worker does with `size` recipients from `first` on. */
function batch(ms: number, worker: string, first: number, size: number): HistoryEvent[] {
  const ids = Array.from({ length: size }, (_, i) => `d_${first + i}`);
  return [
    ...ids.map((id) => claims(ms, worker, id)),
    ...ids.map((id) => marks(ms + 2, worker, id)),
    ...ids.map((id) => sends(ms + 5, worker, id)),
    ...ids.map((id) => settles(ms + 9, worker, id)),
  ];
}

describe('the timeline', () => {
  test('tells the story of a killed worker', async () => {
    await expect(show(story)).toMatchFileSnapshot('./pages/timeline-kill.txt');
  });

  test('joins what one worker does to many at one instant', () => {
    expect(show(batch(0, 'w1', 0, 50))).toBe(
      [
        'time       w1                                p0',
        '0.000      claims r0 … (50)',
        '0.002      marks r0 … (50)',
        '0.005      sends r0 … (50)                   ● accepts r0 … (50)',
        '0.009      writes accepted → sent r0 … (50)',
      ].join('\n'),
    );
  });

  test('shows a run of equal batches once, with how often it came', () => {
    const events = Array.from({ length: 40 }, (_, i) => batch(i * 20, 'w1', i * 50, 50)).flat();
    const lines = timeline(events, { recipientOf });
    expect(lines).toHaveLength(6);
    expect(lines.at(-1)).toContain('… these 4 lines 39 times more, until 0.789');
  });

  test('does not fold the second time of what the reader follows', () => {
    const twice = [sends(0, 'w1', 'd_0'), sends(10, 'w1', 'd_0')];
    expect(timeline(twice, { recipientOf, focus: 'r0' })).toHaveLength(3);
    const often = Array.from({ length: 30 }, (_, i) => sends(i * 10, 'w1', 'd_0'));
    expect(timeline(often, { recipientOf, focus: 'r0' }).at(-1)).toContain('… the same 29 times more, until 0.290');
  });

  test('keeps faults and their surroundings when it has to leave lines out', () => {
    const events = Array.from({ length: 300 }, (_, i) => batch(i * 100, `w${1 + ((i * i) % 7)}`, i, 1)).flat();
    const kill = event(15_050, 'w3', { kind: 'process', what: 'kill', why: null });
    const all = [...events.filter(({ at }) => at < kill.at), kill, ...events.filter(({ at }) => at >= kill.at)];
    const lines = timeline(all, { recipientOf, maxLines: 30 });
    expect(lines.length).toBeLessThanOrEqual(31);
    expect(lines.some((line) => line.includes('✕ killed'))).toBe(true);
    expect(lines.some((line) => line.includes('lines left out'))).toBe(true);
  });

  test('orders columns: producer, workers by number, others, providers', () => {
    const start = (who: string): HistoryEvent => event(0, who, { kind: 'process', what: 'start', why: null });
    const [head] = timeline([start('w10'), start('operator'), start('w2'), start('producer'), sends(0, 'w2', 'd_0')], {
      recipientOf,
    });
    expect(head?.split(/\s+/)).toEqual(['time', 'producer', 'w2', 'w10', 'operator', 'p0']);
  });

  const once: readonly [words: string, event: HistoryEvent, text: string][] = [
    [
      'a lost reply',
      event(0, 'w1', { kind: 'fault', what: 'fired', index: 0, fault: lostReply, entity: 'r0' }),
      '! send: reply lost r0',
    ],
    [
      'an outage by its name and length',
      event(0, 'w1', {
        kind: 'fault',
        what: 'fired',
        index: 0,
        fault: { ...lostReply, do: 'outage', phase: 'E', ms: 90_000 },
        entity: 'p0',
      }),
      '! send: outage 1.5 min p0',
    ],
    [
      'a wiped queue across all columns',
      event(0, 'queue', { kind: 'queue', op: 'wiped', id: '', receipt: null }),
      '--- ✕ the queue is wiped ---',
    ],
    [
      'amnesia',
      event(0, 'ledger', { kind: 'epoch', lost: 1_500, evicted: ['d_1', 'd_2'] }),
      '--- ✕ the store loses its last 1.5 s, 2 records with it ---',
    ],
    [
      'a refused mark',
      event(0, 'w1', { kind: 'mark', request: { id: 'd_3' }, verdict: { kind: 'fenced', id: 'd_3' } }),
      'may not send (fenced) r3',
    ],
    ['a key that the provider knows', sends(0, 'w1', 'd_4', 2, 'same'), 'sends #2 r4  ○ knows the key of r4'],
    [
      'a sweep',
      event(0, 'w1', { kind: 'sweep', result: { moved: [{ id: 'd_5', state: 'unknown' }] } }),
      'sweeps to unknown r5',
    ],
    ['a delivery that nobody named', claims(0, 'w1', 'd_unknown-id'), 'claims d_unkn'],
  ];
  test.each(once)('shows %s', (_words, one, text) => {
    expect(timeline([one], { recipientOf })[1]).toBe(`0.000      ${text}`);
  });

  test('shows a fault where it struck: at its process, at who was at work on the recipient, else across', () => {
    const fault = (entity: string | null): HistoryEvent =>
      event(1, 'plan', { kind: 'fault', what: 'fired', index: 0, fault: lostReply, entity });
    const shown = (entity: string | null): string | undefined =>
      show([claims(0, 'w2', 'd_0'), fault(entity)]).split('\n')[2];
    expect(shown('r0')).toBe('0.001      ! send: reply lost r0');
    expect(shown('w1')).toMatch(/^0\.001 {6}! send: reply lost w1/);
    expect(shown('r9')).toBe('0.001      --- ! send: reply lost r9 ---');
    const over = event(1, 'plan', { kind: 'fault', what: 'healed', index: 0, fault: lostReply, entity: 'r0' });
    expect(show([claims(0, 'w2', 'd_0'), over]).split('\n')).toHaveLength(2);
  });

  test('leaves out routine: renewals, receipts, polls', () => {
    const routine = [
      event(0, 'w1', { kind: 'renew', request: { id: 'd_0' }, verdict: { kind: 'ok' } }),
      event(0, 'w1', { kind: 'queue', op: 'receive', id: 'd_0', receipt: 'x' }),
      event(0, 'w1', { kind: 'claim', verdict: { kind: 'later', id: 'd_0', dueInMs: 5 } }),
    ];
    expect(timeline(routine, { recipientOf })).toEqual([]);
  });

  test.each([
    [0, '0.000'],
    [61_020, '1:01.020'],
    [3_723_000, '1:02:03'],
    [864_000_000, '10 d'],
  ])('writes %i ms as %s', (ms, text) => {
    expect(clock(ms)).toBe(text);
  });
});
