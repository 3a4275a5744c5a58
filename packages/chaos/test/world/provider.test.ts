import { describe, expect, test } from 'vitest';
import type { ProviderModel } from '../../src/plan.ts';
import { providerOutlines } from '../../src/world/capabilities.ts';
import { knobsOf } from '../../src/world/knobs.ts';
import { Mailbox } from '../../src/world/mailbox.ts';
import { AdapterBug, SimulatedProvider, type Send, type SendScript } from '../../src/world/provider.ts';

const KNOBS = knobsOf({ keyWindowMs: 10_000, settleMs: 1_000 });

function toyProvider(model: ProviderModel) {
  const [outline] = providerOutlines(null, ['email'], model, KNOBS);
  const mailbox = new Mailbox(0);
  const time = { now: 0 };
  const provider = new SimulatedProvider({
    ...outline!,
    index: 0,
    seed: 1,
    mailbox,
    now: () => time.now,
    slotOf: (named) => named,
    isFirst: () => true,
  });
  const send = (key: string, script: SendScript | null = null, deliveryId = 'd1') => {
    const message = {
      deliveryId,
      channel: 'email',
      to: 'a@example.com',
      content: { text: 'hello' },
      createdAt: 0,
    } as const;
    const request: Send = {
      provider,
      message,
      context: { key, attempt: 1, deadlineMs: 1_000 },
      slot: 0,
      nth: 0,
      script,
    };
    return provider.receive(request);
  };
  const find = (deliveryId = 'd1') => provider.find({ deliveryId, key: '', to: '', markedAt: 0 });
  return { provider, mailbox, time, send, find };
}

describe('a keyed provider', () => {
  test('takes a key once inside its window, and forgets it after', () => {
    const { send, mailbox, time } = toyProvider('keyed');
    const answers = [0, 9_999, 10_000, 10_001].map((now) => {
      time.now = now;
      const { outcome, arrival } = send('k');
      return [outcome.kind === 'accepted' && outcome.providerMessageId, arrival?.what];
    });
    expect(answers).toEqual([
      ['p0-m0', 'accepted'],
      ['p0-m0', 'same'],
      ['p0-m1', 'accepted'],
      ['p0-m1', 'same'],
    ]);
    expect(mailbox.size).toBe(2);
  });

  test('takes two keys for two messages, whatever delivery they name', () => {
    const { send, mailbox } = toyProvider('keyed');
    send('k1');
    send('k2');
    expect(mailbox.size).toBe(2);
  });

  test('takes one key for one message, even when two deliveries share it', () => {
    const { send, mailbox } = toyProvider('keyed');
    expect([send('k', null, 'd1').arrival?.what, send('k', null, 'd2').arrival?.what, mailbox.size]).toEqual([
      'accepted',
      'same',
      1,
    ]);
  });
});

describe('a plain provider', () => {
  test('takes every send as a new message', () => {
    const { send, mailbox } = toyProvider('plain');
    send('k');
    send('k');
    expect(mailbox.size).toBe(2);
  });
});

describe('a provider with a lookup', () => {
  test('shows a message within half of the settle time, and not what it never took', () => {
    const { send, find, time } = toyProvider('lookup');
    send('k');
    time.now = 500;
    expect(find()).toEqual({ kind: 'found', providerMessageId: 'p0-m0' });
    expect(find('d2')).toEqual({ kind: 'absent' });
  });

  test('shows nothing for half of the settle time while it lags', () => {
    const { provider, send, find, time } = toyProvider('lookup');
    provider.laggingUntil = 10_000;
    send('k');
    time.now = 499;
    expect(find()).toEqual({ kind: 'absent' });
    time.now = 500;
    expect(find().kind).toBe('found');
  });

  test('cannot tell while it is down', () => {
    const { provider, find } = toyProvider('lookup');
    provider.downUntil = 5;
    expect(find().kind).toBe('cannot-tell');
  });
});

describe('what goes wrong at a provider', () => {
  const refuse: SendScript = { kind: 'refuse', outcome: { kind: 'deferred', reason: '429' }, reply: '429' };
  const say: SendScript = { kind: 'say', outcome: { kind: 'unknown', reason: '500' }, reply: '500' };

  test('a refusal takes nothing', () => {
    const { send, mailbox } = toyProvider('plain');
    expect(send('k', refuse)).toMatchObject({
      outcome: { kind: 'deferred' },
      arrival: { what: 'refused', reply: '429' },
    });
    expect(mailbox.size).toBe(0);
  });

  test('an error after acceptance has taken the message', () => {
    const { send, mailbox } = toyProvider('plain');
    expect(send('k', say)).toMatchObject({ outcome: { kind: 'unknown' }, arrival: { what: 'accepted', reply: '500' } });
    expect(mailbox.size).toBe(1);
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('an adapter that throws %s taking it leaves %i messages', (when, messages) => {
    const { send, mailbox } = toyProvider('plain');
    expect(() => send('k', { kind: 'throw', when })).toThrow(AdapterBug);
    expect(mailbox.size).toBe(messages);
  });

  test('an outage refuses connections, so nothing was sent', () => {
    const { provider, send, mailbox } = toyProvider('plain');
    provider.downUntil = 10;
    expect(send('k')).toEqual({ outcome: { kind: 'not-sent', reason: 'connection refused' }, arrival: null });
    provider.heal();
    expect(send('k').outcome.kind).toBe('accepted');
    expect(mailbox.size).toBe(1);
  });

  test('a brown-out spoils about the given share of answers, and some of those messages were taken', () => {
    const { provider, mailbox } = toyProvider('plain');
    provider.brownOut = { until: 10, percent: 50 };
    const kinds = Array.from({ length: 400 }, (_, nth) => {
      const message = { deliveryId: `d${nth}`, channel: 'email', to: 'a', content: {}, createdAt: 0 } as const;
      return provider.receive({
        provider,
        message,
        context: { key: `k${nth}`, attempt: 1, deadlineMs: 1 },
        slot: nth,
        nth: 0,
        script: null,
      }).outcome.kind;
    });
    const spoilt = kinds.filter((kind) => kind !== 'accepted').length;
    expect(Math.abs(spoilt - 200)).toBeLessThan(50);
    const taken = kinds.filter((kind) => kind !== 'deferred').length;
    expect(mailbox.size).toBe(taken);
    expect(taken).toBeGreaterThan(kinds.filter((kind) => kind === 'accepted').length);
  });
});
