import { describe, expect, test } from 'vitest';
import { SendonceError, type Alert } from '@sendonce/core';
import { cloudEvent, eventBridgeEvent, snsNotification } from '../../src/ingest/envelopes.ts';
import {
  ingest,
  type IngestEvent,
  type IngestOptions,
  type RawMessage,
  type RawMessages,
} from '../../src/ingest/events.ts';
import { isForGood, retryDelayMs } from '../../src/internal/retrying.ts';
import { acceptedIn, mapOrder, order, publisher } from './suite.ts';

const OK = { ok: true } as const;

/** A queue that hands out these once, and remembers what it is told. */
function listed(bodies: readonly string[], receives = 1): { readonly messages: RawMessages; readonly calls: string[] } {
  const waiting: RawMessage[] = bodies.map((body, i) => ({
    id: `m${i}`,
    receipt: `r${i}`,
    body,
    attributes: {},
    receives,
  }));
  const calls: string[] = [];
  const note = (what: string, batch: readonly RawMessage[]) => {
    calls.push(`${what} ${batch.map(({ id }) => id).join(' ')}`);
    return Promise.resolve(batch.map(() => OK));
  };
  const messages: RawMessages = {
    name: 'list',
    deadLetters: 'the other list',
    maxBatch: 100,
    receive: ({ max }) => Promise.resolve(waiting.splice(0, max)),
    ack: (batch) => note('ack', batch),
    release: (batch, { delayMs }) => note(`release ${delayMs}`, batch),
    reject: (batch) =>
      note(
        'reject',
        batch.map(({ message }) => message),
      ),
    close: () => Promise.resolve(),
  };
  return { messages, calls };
}

const once = (
  bodies: readonly string[],
  options: Partial<IngestOptions> & Pick<IngestOptions, 'notifier'>,
  receives = 1,
) => {
  const { messages, calls } = listed(bodies, receives);
  return { calls, result: ingest({ messages, map: mapOrder, ...options }).once() };
};

describe('ingest', () => {
  test('acks nothing before the ledger has answered', async () => {
    const { notifier } = publisher();
    const { messages, calls } = listed([order('1')]);
    const publishMany: typeof notifier.publishMany = (...args) => {
      expect(calls).toEqual([]);
      return notifier.publishMany(...args);
    };
    await ingest({ notifier: { publishMany }, messages, map: mapOrder }).once();
    expect(calls).toEqual(['ack m0']);
  });

  test('acks what asks for nothing, and lets come again what asks for another time', async () => {
    const { notifier, ledger } = publisher();
    const map: IngestOptions['map'] = ({ body }) => (body === 'later' ? { later: 'no address yet' } : null);
    const { calls, result } = once(['nothing', 'later'], { notifier, map }, 3);
    expect(await result).toMatchObject({ ignored: 1, delayed: [{ reason: 'no address yet', delayMs: 4_000 }] });
    expect(calls).toEqual(['ack m0', 'release 4000 m1']);
    expect(await acceptedIn(ledger)).toBe(0);
  });

  test.each([
    [
      'throws',
      () => {
        throw new RangeError('no total');
      },
      'it cannot be mapped: RangeError: no total',
    ],
    ['rejects', () => Promise.reject(new Error('no row')), 'it cannot be mapped: Error: no row'],
    [
      'answers a number',
      () => 5 as never,
      'it cannot be mapped: TypeError: map must answer { type, key, data }, { later } or null, got 5',
    ],
    [
      'answers no type',
      () => ({ key: 'a' }) as never,
      'it cannot be mapped: TypeError: map answered an event without a type',
    ],
    [
      'answers an option that there is none of',
      () => ({ type: 'order', key: 'a', data: 1, targets: [] }) as never,
      'OPTION_INVALID: targets is not an option',
    ],
    ['answers no key', () => ({ type: 'order', data: 1 }), 'KEY_MISSING: '],
  ] satisfies readonly (readonly [string, IngestOptions['map'], string])[])(
    'sets aside what the mapping %s for',
    async (_, map, reason) => {
      const { calls, result } = once(['x'], { notifier: publisher().notifier, map });
      const { rejected } = await result;
      expect(rejected[0]?.reason.slice(0, reason.length)).toBe(reason);
      expect(calls).toEqual(['reject m0']);
    },
  );

  test('tells who watches, and sinks of alerts once a minute', async () => {
    const events: IngestEvent[] = [];
    const alerts: Alert[] = [];
    const sink = { send: (alert: Alert) => Promise.resolve(void alerts.push(alert)), close: () => Promise.resolve() };
    const { messages } = listed([order('1'), 'a', 'b']);
    const reader = ingest({
      notifier: publisher().notifier,
      messages,
      map: mapOrder,
      batch: 2,
      alerts: [sink],
      onEvent: (event) => {
        events.push(event);
        throw new Error('a listener that fails');
      },
    });
    await reader.once();
    await reader.once();
    expect(alerts).toMatchObject([
      { kind: 'dead-letter', count: 1, examples: ['m1'], next: 'look into the other list' },
    ]);
    expect(events.map(({ kind }) => kind)).toEqual(['taken', 'rejected', 'rejected']);
    await reader.run({ signal: AbortSignal.abort() });
    expect(alerts).toMatchObject([
      { count: 1 },
      { count: 1, summary: '1 message of list could not be published, and was set aside' },
    ]);
  });

  test('waits for a queue that is out of reach', async () => {
    const { notifier, ledger } = publisher();
    const { messages } = listed([order('1')]);
    const events: IngestEvent[] = [];
    const stop = new AbortController();
    let failures = 0;
    const receive: RawMessages['receive'] = (options) => {
      if (failures++ < 2) return Promise.reject(new SendonceError('QUEUE_UNAVAILABLE', 'no'));
      return messages.receive(options);
    };
    const onEvent = (event: IngestEvent): void => {
      events.push(event);
      if (event.kind === 'taken') stop.abort();
    };
    await ingest({ notifier, messages: { ...messages, receive }, map: mapOrder, retryMs: 1, onEvent }).run({
      signal: stop.signal,
    });
    expect(events.map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable', 'taken']);
    expect(await acceptedIn(ledger)).toBe(1);
  });

  test('refuses options that it cannot work with', () => {
    const { messages } = listed([]);
    const { notifier } = publisher();
    expect(() => ingest({ notifier, messages, map: mapOrder, batch: 0 })).toThrow(
      'ingest: batch must be a whole number from 1 to 1000',
    );
    expect(() => ingest({ notifier, messages } as never)).toThrow('ingest: map must be a function');
  });
});

describe('a reason', () => {
  test.each([
    ['DATA_INVALID', true],
    ['NOTIFICATION_CONFLICT', true],
    ['TYPE_UNKNOWN', true],
    ['LEDGER_UNAVAILABLE', false],
    ['LEDGER_FULL', false],
    ['PUBLISH_INTERRUPTED', false],
    ['NOTIFIER_CLOSED', false],
  ] as const)('%s is for good: %s', (code, forGood) => {
    expect(isForGood(new SendonceError(code, 'x'))).toBe(forGood);
  });

  test('of nobody we know passes', () => expect(isForGood(new Error('x'))).toBe(false));

  test.each([
    [1, 100],
    [2, 200],
    [4, 800],
    [5, 1_000],
    [9_999, 1_000],
  ])('lets its %dth receive wait for %d ms', (receives, delayMs) => {
    expect(retryDelayMs(receives, { firstMs: 100, mostMs: 1_000 })).toBe(delayMs);
  });
});

describe('an envelope', () => {
  test('of SNS, EventBridge and CloudEvents gives what is in it', () => {
    const sns = { Type: 'Notification', MessageId: 'm', TopicArn: 'arn:t', Message: '{"a":1}' };
    expect(snsNotification(JSON.stringify(sns))).toEqual({
      id: 'm',
      topicArn: 'arn:t',
      message: '{"a":1}',
      subject: null,
    });
    const event = { id: 'e', source: 'shop', 'detail-type': 'OrderPlaced', detail: { a: 1 }, region: 'eu-west-1' };
    expect(eventBridgeEvent(JSON.stringify(event))).toEqual({
      id: 'e',
      source: 'shop',
      detailType: 'OrderPlaced',
      detail: { a: 1 },
    });
    const cloud = { specversion: '1.0', id: 'c', source: '/shop', type: 'order.placed', data: [1] };
    expect(cloudEvent(JSON.stringify(cloud))).toEqual({ id: 'c', source: '/shop', type: 'order.placed', data: [1] });
  });

  test.each([
    ['no JSON', () => snsNotification('x'), 'the body is not JSON, so not an SNS notification'],
    ['a list', () => cloudEvent('[]'), 'the body is a list of 0, not a CloudEvent'],
    [
      'of another kind',
      () => snsNotification('{"Type":"SubscriptionConfirmation"}'),
      "must be 'Notification', got 'SubscriptionConfirmation'",
    ],
    ['without an id', () => eventBridgeEvent('{"source":"shop"}'), 'id must be a text, got undefined'],
  ])('that is %s throws', (_, open, words) => expect(open).toThrow(words));
});
