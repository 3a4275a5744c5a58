import { describe, expect, test } from 'vitest';
import { ALERT_KINDS, type Alert, type AlertSink, type TelemetryEvent } from '../src/index.ts';
import { Alerting } from '../src/alerts.ts';
import { manualClock } from '../src/memory/index.ts';
import { ODD_VALUES } from './support/odd.ts';
import { never } from './support/tap.ts';

const GROUP_MS = 10_000;

function moved(id: string, to: 'dead' | 'failed' | 'parked' | 'sent'): TelemetryEvent {
  const about = { type: 'order', class: 'legal', channel: 'email', provider: 'p0' } as const;
  return { kind: 'delivery.moved', at: 0, id, to, reason: null, assumed: false, ...about };
}

const failover: TelemetryEvent = { kind: 'delivery.failover', at: 0, id: 'd_1', from: 'a', to: 'b', declared: false };
const noProgress: TelemetryEvent = { kind: 'worker.no-progress', at: 0, worker: 'w', waiting: 3, sinceMs: 60_000 };
const routingFailed: TelemetryEvent = {
  kind: 'notification.moved',
  at: 0,
  id: 'n_1',
  type: 'order',
  to: 'failed',
  reason: 'x',
};

function thrown(odd: () => unknown): never {
  throw odd();
}

function make(...sends: ((alert: Alert) => Promise<void>)[]) {
  const clock = manualClock();
  const got: Alert[] = [];
  const told: TelemetryEvent[] = [];
  let closed = 0;
  const sinkOf = (send: AlertSink['send']): AlertSink => ({ send, close: async () => void (closed += 1) });
  const record = async (alert: Alert): Promise<void> => void got.push(alert);
  const sinks = (
    sends.length === 0 ? [record] : sends.map((send) => async (alert: Alert) => (await send(alert), record(alert)))
  ).map(sinkOf);
  const alerting = new Alerting(sinks, clock, (event) => void told.push(event));
  return { clock, got, told, alerting, closed: () => closed };
}

describe('an alert', () => {
  test.each<[TelemetryEvent, kind: string, example: string | null]>([
    [moved('d_1', 'dead'), 'dead-letter', 'd_1'],
    [moved('d_1', 'failed'), 'dead-letter', 'd_1'],
    [routingFailed, 'dead-letter', 'n_1'],
    [moved('d_1', 'parked'), 'parked', 'd_1'],
    [failover, 'failover', 'd_1'],
    [noProgress, 'no-progress', null],
  ])('is made of %o', async (event, kind, example) => {
    const { alerting, got } = make();
    alerting.note(event);
    await alerting.flush(true);
    expect(got).toMatchObject([{ kind, count: 1, examples: example === null ? [] : [example] }]);
    expect(got[0]?.next).toMatch(/^(docs\/|notifier\.)/);
  });

  const quiet: readonly TelemetryEvent[] = [
    moved('d_1', 'sent'),
    { ...routingFailed, to: 'done' },
    { kind: 'duplicate.recorded', at: 0, id: 'd_1' },
    { kind: 'delivery.stray', at: 0, id: 'd_1' },
    { kind: 'worker.degraded', at: 0, worker: 'w', reason: 'x' },
    { kind: 'worker.recovered', at: 0, worker: 'w' },
    { kind: 'attempt.ended', at: 0, id: 'd_1', provider: 'p0', attempt: 1, outcome: 'accepted', reason: null },
  ];
  test.each(quiet)('is not made of $kind', async (event) => {
    const { alerting, got } = make();
    alerting.note(event);
    await alerting.flush(true);
    expect(got).toEqual([]);
  });

  test('stands for all of its kind within the grouping time, with a count and five examples', async () => {
    const { alerting, got, clock } = make();
    for (let i = 1; i <= 2_000; i += 1) alerting.note(moved(`d_${i}`, 'dead'));
    alerting.note(moved('d_9', 'parked'));
    await clock.advance(GROUP_MS - 1);
    await alerting.flush();
    expect(got).toEqual([]);
    await clock.advance(1);
    await alerting.flush();
    expect(got).toMatchObject([
      {
        kind: 'dead-letter',
        count: 2_000,
        examples: ['d_1', 'd_2', 'd_3', 'd_4', 'd_5'],
        summary: '2000 messages gave up and became dead letters',
      },
      { kind: 'parked', count: 1, summary: '1 message is parked: nothing can tell whether it was sent' },
    ]);
    await clock.advance(GROUP_MS);
    await alerting.flush();
    expect(got).toHaveLength(2);
  });

  test('that no sink took is tried again with the next group, and telemetry says so', async () => {
    let fails = true;
    const { alerting, got, told, clock } = make(async () => (fails ? Promise.reject(new Error('503')) : undefined));
    alerting.note(moved('d_1', 'dead'));
    await alerting.flush(true);
    expect(told).toMatchObject([
      { kind: 'worker.degraded', worker: 'alerts', reason: 'an alert sink failed: Error: 503' },
    ]);
    fails = false;
    alerting.note(moved('d_2', 'dead'));
    await clock.advance(GROUP_MS);
    await alerting.flush();
    expect(got).toMatchObject([{ count: 2, examples: ['d_1', 'd_2'] }]);
  });

  test('that one of two sinks took is not repeated to it', async () => {
    const { alerting, got, told, clock } = make(
      async () => undefined,
      async () => Promise.reject(new Error('503')),
    );
    alerting.note(moved('d_1', 'dead'));
    await alerting.flush(true);
    await clock.advance(GROUP_MS);
    await alerting.flush();
    expect(got).toHaveLength(1);
    expect(told).toHaveLength(1);
  });

  test('does not wait for a sink that never answers longer than 15 s', async () => {
    const { alerting, told, clock } = make(() => never);
    alerting.note(moved('d_1', 'dead'));
    const flushed = alerting.flush(true);
    await clock.advance(15_000);
    await flushed;
    expect(told).toMatchObject([
      { kind: 'worker.degraded', reason: 'an alert sink failed: Error: no answer within 15000 ms' },
    ]);
  });

  test('is sent on close, whatever its age; then the sinks are closed', async () => {
    const { alerting, got, closed } = make();
    alerting.note(moved('d_1', 'dead'));
    await alerting.close();
    expect(got).toHaveLength(1);
    expect(closed()).toBe(1);
  });

  test.each(ODD_VALUES)(
    'survives a sink that throws or rejects with $what, and says so once',
    async ({ make: odd }) => {
      for (const fails of [async () => thrown(odd), () => thrown(odd)]) {
        const { alerting, told, clock } = make(fails);
        for (let i = 0; i < 3; i += 1) {
          alerting.note(moved(`d_${i}`, 'dead'));
          await clock.advance(GROUP_MS);
          await alerting.flush();
        }
        await alerting.close();
        expect(told).toHaveLength(1);
        expect(told).toMatchObject([
          { kind: 'worker.degraded', reason: expect.stringMatching(/^an alert sink failed: ./) },
        ]);
      }
    },
  );

  test('says again that a sink fails once it had worked in between', async () => {
    let fails = true;
    const { alerting, told } = make(async () => (fails ? Promise.reject(new Error('503')) : undefined));
    for (const each of [true, true, false, true]) {
      fails = each;
      alerting.note(moved('d_1', 'dead'));
      await alerting.flush(true);
    }
    expect(told).toHaveLength(2);
  });

  test('is sent beside whoever asks for it: one at a time, and close waits for it', async () => {
    const { alerting, got, clock, closed } = make(() => clock.sleep(5_000));
    alerting.note(moved('d_1', 'dead'));
    await clock.advance(GROUP_MS);
    alerting.flushSoon();
    alerting.flushSoon();
    expect(got).toEqual([]);
    alerting.note(moved('d_2', 'parked'));
    const over = alerting.close();
    await clock.advance(5_000);
    expect(got).toHaveLength(1);
    expect(closed()).toBe(0);
    await clock.advance(5_000);
    await over;
    expect(got).toMatchObject([{ kind: 'dead-letter' }, { kind: 'parked' }]);
    expect(closed()).toBe(1);
  });

  test.each([
    ['never answers', () => never],
    ['rejects', () => Promise.reject(new Error('x'))],
    ['throws', () => thrown(() => undefined)],
  ])('a sink whose close %s keeps nobody', async (_how, close) => {
    const clock = manualClock();
    const told: TelemetryEvent[] = [];
    const sink = { send: async () => undefined, close: close as () => Promise<void> };
    const alerting = new Alerting([sink], clock, (event) => void told.push(event));
    const over = alerting.close();
    await clock.advance(15_000);
    await over;
    expect(told).toMatchObject([{ reason: expect.stringMatching(/^an alert sink could not be closed: ./) }]);
  });

  test('has words for every kind', async () => {
    const { alerting, got } = make();
    const stopped: TelemetryEvent = {
      ...{ kind: 'pruning.stopped', at: 0, channel: 'push', provider: 'apns', dead: 10, accepted: 0 },
    };
    for (const event of [moved('d', 'dead'), moved('d', 'parked'), failover, noProgress, stopped]) alerting.note(event);
    await alerting.flush(true);
    expect(got.map(({ kind }) => kind).sort()).toEqual([...ALERT_KINDS].sort());
    expect(got.every(({ summary }) => summary.length > 10)).toBe(true);
  });
});
