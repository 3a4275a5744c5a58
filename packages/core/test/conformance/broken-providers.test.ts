import { describe, expect, test } from 'vitest';
import {
  providerCapabilities,
  providerLaws,
  runLaws,
  type ProviderSubject,
  type ServiceAnswer,
} from '../../src/conformance/index.ts';
import { manualClock, memoryProvider, type ProviderAnswer, type ProviderModel } from '../../src/memory/index.ts';
import type { Provider } from '../../src/ports/provider.ts';

type Break = (provider: Provider) => Partial<Provider>;

const PROGRAMS: Readonly<Record<ServiceAnswer, ProviderAnswer>> = {
  accepts: {},
  'accepts-and-says-nothing': { taken: true, reply: { kind: 'unknown', reason: 'timeout' } },
  refuses: { reply: { kind: 'rejected', scope: 'destination', reason: 'no such mailbox' } },
  throttles: { reply: { kind: 'deferred', reason: 'too many requests' } },
  'is-unreachable': { reply: { kind: 'not-sent', reason: 'connection refused' } },
};
const ANSWERS = Object.keys(PROGRAMS) as ServiceAnswer[];

const BROKEN: readonly (readonly [name: string, model: ProviderModel, broken: Break, namedBy: readonly string[]])[] = [
  [
    'ignores keys',
    'keyed',
    (provider) => {
      let calls = 0;
      return { send: (message, context) => provider.send(message, { ...context, key: `key-${(calls += 1)}` }) };
    },
    [
      'makes one message of repeats with the same key, and answers the same id',
      'makes one message of a repeat after a lost reply with the same key',
    ],
  ],
  [
    'has one key for everything',
    'keyed',
    (provider) => ({ send: (message, context) => provider.send(message, { ...context, key: 'the key' }) }),
    ['gives two messages two ids', 'makes two messages of two keys'],
  ],
  [
    'calls a lost reply not sent',
    'plain',
    (provider) => ({
      send: async (message, context) => {
        const outcome = await provider.send(message, context);
        return outcome.kind === 'unknown' ? { kind: 'not-sent', reason: outcome.reason } : outcome;
      },
    }),
    ['calls an outcome unknown when the service took the message and its reply was lost'],
  ],
  [
    'tries again by itself',
    'plain',
    (provider) => ({
      send: async (message, context) => {
        const outcome = await provider.send(message, context);
        return outcome.kind === 'unknown' ? provider.send(message, context) : outcome;
      },
    }),
    [
      'sends once per call, whatever the service answers',
      'calls an outcome unknown when the service took the message and its reply was lost',
    ],
  ],
  [
    'calls a throttled message rejected',
    'plain',
    (provider) => ({
      send: async (message, context) => {
        const outcome = await provider.send(message, context);
        return outcome.kind === 'deferred' ? { kind: 'rejected', scope: 'provider', reason: outcome.reason } : outcome;
      },
    }),
    ['calls a throttled message deferred, not failed'],
  ],
  [
    'forgets the id',
    'plain',
    (provider) => ({
      send: async (message, context) => {
        const outcome = await provider.send(message, context);
        return outcome.kind === 'accepted' ? { kind: 'accepted', providerMessageId: '' } : outcome;
      },
    }),
    [
      'calls a message accepted only when it went out, and names the id that the service gave it',
      'gives two messages two ids',
    ],
  ],
  [
    'sends in spite of the abort',
    'plain',
    (provider) => ({
      send: (message, context) => provider.send(message, { ...context, signal: new AbortController().signal }),
    }),
    ['sends nothing once the signal is aborted, and says so'],
  ],
  [
    'finds whatever it is asked for',
    'lookup',
    ({ capabilities }) => {
      const { lookup } = capabilities;
      if (lookup === 'none') return {};
      const find = async () => ({ kind: 'found', providerMessageId: 'memory-1' }) as const;
      return { capabilities: { ...capabilities, lookup: { ...lookup, find } } };
    },
    ['never finds by lookup what nobody sent'],
  ],
];

function subject(model: ProviderModel, broken: Break): ProviderSubject {
  const clock = manualClock();
  let program: ProviderAnswer | undefined;
  const answer = () => {
    const now = program;
    program = undefined;
    return now;
  };
  const good = memoryProvider({ clock, model, answer });
  const provider = { ...good, ...broken(good) };
  return {
    provider,
    answers: ANSWERS,
    answerNext: (next) => void (program = PROGRAMS[next]),
    delivered: async (to) => good.mailbox.filter((item) => item.to === to).length,
    capabilities: providerCapabilities(provider, ANSWERS),
    unitMs: 1_000,
    elapse: (ms) => clock.advance(ms),
    close: () => provider.close(),
  };
}

describe('the laws of the provider', () => {
  test.each(BROKEN)('name a provider that %s', async (_name, model, broken, namedBy) => {
    const results = await runLaws(providerLaws, () => subject(model, broken));
    expect(results.filter(({ kind }) => kind === 'broken').map(({ law }) => law)).toEqual(namedBy);
  });
});
