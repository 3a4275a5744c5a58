import type { DeliveryState, OutcomeKind, TelemetryEvent } from '@sendonce/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Complaints } from '../../src/worker/complaints.ts';

const ended = (id: string, outcome: OutcomeKind, reason: string | null): TelemetryEvent => ({
  kind: 'attempt.ended',
  at: 0,
  id,
  provider: 'smtp',
  attempt: 1,
  outcome,
  reason,
});
const moved = (id: string, to: DeliveryState, reason: string | null): TelemetryEvent => ({
  kind: 'delivery.moved',
  at: 0,
  id,
  type: 'news',
  class: 'transactional',
  channel: 'email',
  to,
  provider: 'smtp',
  reason,
  assumed: false,
});
const notification = (to: 'accepted' | 'expanding' | 'done', reason: string | null): TelemetryEvent => ({
  kind: 'notification.moved',
  at: 0,
  id: 'n_1',
  type: 'news',
  to,
  reason,
});
const tried = (id: string, outcome: OutcomeKind, to: DeliveryState, reason: string): TelemetryEvent[] => [
  ended(id, outcome, reason),
  moved(id, to, reason),
];

const DUE = Date.UTC(2026, 2, 1, 0, 36, 10);
const REFUSED = 'no connection to 127.0.0.1:9911 (ECONNREFUSED)';

describe('what a worker says of deliveries that are not sent', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function said(events: readonly TelemetryEvent[], ms = 300): Promise<string[]> {
    const lines: string[] = [];
    const complaints = new Complaints({ say: (line) => lines.push(line), dueOf: () => Promise.resolve(DUE) });
    for (const event of events) complaints.note(event);
    await vi.advanceTimersByTimeAsync(ms);
    complaints.close();
    return lines;
  }

  const cases: readonly (readonly [what: string, events: TelemetryEvent[], lines: string[]])[] = [
    [
      'many that could not leave',
      ['d_1', 'd_2', 'd_3', 'd_4'].flatMap((id) => tried(id, 'not-sent', 'retry-scheduled', REFUSED)),
      [`email: not sent by smtp: ${REFUSED}, 4 deliveries; next try 00:36:10Z`],
    ],
    [
      'those that differ by an address alone',
      ['ann', 'bob'].flatMap((name) => tried(name, 'deferred', 'retry-scheduled', `busy, ${name}@example.org`)),
      ['email: put off by smtp: busy, ann@example.org, 2 deliveries; next try 00:36:10Z'],
    ],
    [
      'two reasons',
      [...tried('d_1', 'unknown', 'unknown', 'reset'), ...tried('d_2', 'rejected', 'retry-scheduled', '535')],
      [
        'email: unknown whether sent by smtp: reset, 1 delivery; next try 00:36:10Z',
        'email: refused by smtp: 535, 1 delivery; next try 00:36:10Z',
      ],
    ],
    [
      'one whose worker died',
      [moved('d_1', 'unknown', 'no outcome')],
      ['email: unknown whether sent by smtp: no outcome, 1 delivery; next try 00:36:10Z'],
    ],
    [
      'a channel that nobody has, once',
      [
        notification('accepted', "channel 'webhook' has no provider"),
        notification('expanding', "channel 'webhook' has no provider"),
      ],
      ["put back: channel 'webhook' has no provider"],
    ],
    [
      'a type that nobody has, once',
      [moved('d_1', 'queued', "type 'x'"), moved('d_2', 'queued', "type 'x'")],
      ["put back: type 'x'"],
    ],
    [
      'what goes well',
      [...tried('d_1', 'accepted', 'sent', ''), moved('d_2', 'queued', null), notification('done', null)],
      [],
    ],
    ['one whose address was refused', tried('d_1', 'rejected', 'failed', '550 no such user'), []],
  ];
  test.each(cases)('%s', async (_what, events, lines) => {
    expect(await said(events)).toEqual(lines);
  });

  test('is a line of a kind in ten seconds, with all that came meanwhile, for as long as it lasts', async () => {
    const lines: string[] = [];
    const complaints = new Complaints({ say: (line) => lines.push(line), dueOf: () => Promise.resolve(null) });
    for (let second = 0; second < 30; second += 1) {
      for (const event of tried(`d_${second}`, 'not-sent', 'dead', 'down')) complaints.note(event);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(lines).toEqual(
      [1, 10, 10].map((count) => `email: not sent by smtp: down, ${count} ${count === 1 ? 'delivery' : 'deliveries'}`),
    );
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines).toHaveLength(4);
    expect(vi.getTimerCount()).toBe(0);
  });
});
