import { describe, expect, test } from 'vitest';
import {
  providerCapabilities,
  providerLaws,
  SERVICE_ANSWERS,
  type ServiceAnswer,
} from '../../src/conformance/index.ts';
import {
  manualClock,
  memoryProvider,
  PROVIDER_MODELS,
  type MemoryProviderOptions,
  type ProviderAnswer,
  type ProviderModel,
} from '../../src/memory/index.ts';
import { testLaws } from '../conformance/support/laws.ts';

const PROGRAMS: Readonly<Record<ServiceAnswer, ProviderAnswer>> = {
  accepts: {},
  'accepts-and-says-nothing': { taken: true, reply: { kind: 'unknown', reason: 'timeout' } },
  refuses: { reply: { kind: 'rejected', scope: 'destination', reason: 'no such mailbox' } },
  throttles: { reply: { kind: 'deferred', reason: 'too many requests', retryAfterMs: 1_000 } },
  'is-unreachable': { reply: { kind: 'not-sent', reason: 'connection refused' } },
};

function subject(model: ProviderModel) {
  const clock = manualClock(1_700_000_000_000);
  let program: ProviderAnswer | undefined;
  const provider = memoryProvider({
    clock,
    model,
    answer: () => {
      const now = program;
      program = undefined;
      return now;
    },
  });
  return {
    provider,
    answers: SERVICE_ANSWERS,
    answerNext: (answer: ServiceAnswer) => void (program = PROGRAMS[answer]),
    delivered: async (to: string) => provider.mailbox.filter((item) => item.to === to).length,
    capabilities: providerCapabilities(provider, SERVICE_ANSWERS),
    unitMs: 1_000,
    elapse: (ms: number) => clock.advance(ms),
    close: () => provider.close(),
  };
}

for (const model of PROVIDER_MODELS) testLaws(`the memory provider, ${model}`, providerLaws, () => subject(model));

function setUp(options: Partial<MemoryProviderOptions> = {}) {
  const clock = manualClock();
  const provider = memoryProvider({ clock, ...options });
  const send = (key = 'k_a', text = 'Hello', signal = new AbortController().signal) =>
    provider.send(
      { deliveryId: 'd_a', channel: 'email', to: 'a@example.com', content: { text }, createdAt: 0 },
      { key, attempt: 1, deadlineMs: 1_000, signal },
    );
  return { clock, provider, send };
}

describe('the memory provider', () => {
  test('forgets a key after its window: the same key is a second message then', async () => {
    const { clock, provider, send } = setUp({ windowMs: 1_000 });
    await send();
    await clock.advance(999);
    await send();
    expect(provider.mailbox).toHaveLength(1);
    await clock.advance(1);
    await send();
    expect(provider.mailbox).toHaveLength(2);
  });

  test('refuses a known key with another body', async () => {
    const { send } = setUp();
    await send('k_a', 'Hello');
    expect(await send('k_a', 'Goodbye')).toMatchObject({ kind: 'rejected', scope: 'message' });
  });

  test('makes a message of every request when it takes no keys', async () => {
    const { provider, send } = setUp({ model: 'plain' });
    await send();
    await send();
    expect(provider.mailbox).toHaveLength(2);
  });

  test('hides a message from lookups until the settle time, and beyond the horizon', async () => {
    const { clock, provider, send } = setUp({ model: 'lookup', settleMs: 100, horizonMs: 1_000 });
    const { lookup } = provider.capabilities;
    if (lookup === 'none') throw new Error('a lookup provider has a lookup');
    const find = () =>
      lookup.find(
        { deliveryId: 'd_a', key: 'k_a', to: 'a@example.com', markedAt: 0 },
        { signal: new AbortController().signal },
      );
    await send();
    expect((await find()).kind).toBe('absent');
    await clock.advance(100);
    expect((await find()).kind).toBe('found');
    await clock.advance(901);
    expect((await find()).kind).toBe('absent');
  });

  test('takes a message although the sender gave up waiting', async () => {
    const { clock, provider, send } = setUp({ answer: () => ({ takeAfterMs: 500 }) });
    const aborter = new AbortController();
    const sending = send('k_a', 'Hello', aborter.signal);
    await clock.advance(100);
    aborter.abort();
    expect(await sending).toMatchObject({ kind: 'unknown', reason: 'timeout' });
    expect(provider.mailbox).toHaveLength(0);
    await clock.advance(400);
    expect(provider.mailbox).toHaveLength(1);
  });

  test('throws what it was told to throw, after taking the message if told so', async () => {
    const { provider, send } = setUp({ answer: ({ nth }) => ({ taken: nth === 1, thrown: new Error('unmapped') }) });
    await expect(send()).rejects.toThrow('unmapped');
    await expect(send()).rejects.toThrow('unmapped');
    expect(provider.mailbox).toHaveLength(1);
    expect(provider.calls()).toBe(2);
  });
});
