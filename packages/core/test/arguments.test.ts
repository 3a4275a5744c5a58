import { describe, expect, test } from 'vitest';
import { createNotifier, type NotifierConfig } from '../src/index.ts';
import { manualClock, memoryLedger, memoryProvider, memoryQueue, seededRandom } from '../src/memory/index.ts';

const clock = manualClock();
const provider = memoryProvider({ clock, name: 'p0' });
const queue = memoryQueue({ clock });
const good = {
  ledger: memoryLedger({ clock }),
  channels: { email: { providers: [provider] } },
  notifications: { hello: { class: 'transactional', content: () => ({ text: 'hello' }) } },
  clock,
} as const satisfies NotifierConfig;

const able = (patch: object) => ({ ...provider, capabilities: { ...provider.capabilities, ...patch } });
const { seal: _left, ...withoutSeal } = good.ledger;
const email = (...providers: unknown[]) => ({ channels: { email: { providers } } });

describe('createNotifier', () => {
  const WRONG: readonly (readonly [what: string, config: unknown, message: RegExp])[] = [
    ...[undefined, null, 7, 'x', [], () => good].map(
      (config) =>
        [`the config ${String(config)}`, config, /^the config must be an object \{ ledger, channels, /] as const,
    ),
    ...['ledger', 'queue', 'eventsQueue', 'destinations', 'clock', 'random'].flatMap((port) =>
      [null, 'x', 7, [], {}].map(
        (value) =>
          [`${port} ${JSON.stringify(value)}`, { ...good, [port]: value }, new RegExp(`^${port} must be a `)] as const,
      ),
    ),
    ...['telemetry', 'alerts'].flatMap((list) =>
      [null, 'x', {}, [null], [{}]].map(
        (value) =>
          [
            `${list} ${JSON.stringify(value)}`,
            { ...good, [list]: value },
            new RegExp(`^${list}(\\[0\\])? must be a`),
          ] as const,
      ),
    ),
    ...['channels', 'notifications', 'classes', 'worker', 'deadLetterRetry', 'pruning'].flatMap((part) =>
      [null, 'x', 7, []].map(
        (value) =>
          [
            `${part} ${JSON.stringify(value)}`,
            { ...good, [part]: value },
            new RegExp(`^${part} must be an object`),
          ] as const,
      ),
    ),
    ['no ledger', { ...good, ledger: undefined }, /^ledger must be a ledger with accept, seal, .*, got undefined$/],
    [
      'a ledger that lacks a method',
      { ...good, ledger: withoutSeal },
      /^ledger must be a ledger with .*; it has no method seal$/,
    ],
    ['a clock that lacks a method', { ...good, clock: { now: Date.now } }, /; it has no method monotonic, sleep$/],
    [
      'a sink that lacks a method',
      { ...good, alerts: [{ send() {} }] },
      /^alerts\[0\] must be an alert sink with send, close; it has no method close$/,
    ],
    [
      'a queue without capabilities',
      { ...good, queue: { ...queue, capabilities: undefined } },
      /^queue\.capabilities must be/,
    ],
    [
      'a queue of batches of none',
      { ...good, queue: { ...queue, capabilities: { ...queue.capabilities, maxBatch: 0 } } },
      /^queue\.capabilities\.maxBatch must be a number from 1/,
    ],
    ['no notifications', { ...good, notifications: undefined }, /^notifications must be an object/],
    [
      'a type of a name of our own',
      { ...good, notifications: { 'direct.alert': good.notifications.hello } },
      /^notifications\.direct\.alert is the name of a type of our own/,
    ],
    [
      'a channel that is null',
      { ...good, channels: { email: null } },
      /^channels\.email must be an object \{ providers/,
    ],
    [
      'a list of providers that is text',
      { ...good, channels: { email: { providers: 'abc' } } },
      /^channels\.email\.providers must be a list of providers, got 'abc'$/,
    ],
    [
      'a list of providers that is null',
      { ...good, channels: { email: { providers: null } } },
      /^channels\.email\.providers must be a list/,
    ],
    [
      'a provider that is null',
      { ...good, ...email(null) },
      /^channels\.email\.providers\[0\] must be a provider with send, close, got null$/,
    ],
    [
      'a provider that cannot send',
      { ...good, ...email(provider, { ...provider, send: 1 }) },
      /^channels\.email\.providers\[1\] .*it has no method send$/,
    ],
    [
      'a provider without a name',
      { ...good, ...email({ ...provider, name: 7 }) },
      /^channels\.email: a provider's name must be .*got 7$/,
    ],
    [
      'a provider without capabilities',
      { ...good, ...email({ ...provider, capabilities: null }) },
      /providers\[0\]\.capabilities must be/,
    ],
    [
      'an idempotency that does not exist',
      { ...good, ...email(able({ idempotency: { kind: 'keyed' } })) },
      /idempotency\.kind must be one of key, client-id, none/,
    ],
    [
      'a key window that is none',
      { ...good, ...email(able({ idempotency: { kind: 'key' } })) },
      /idempotency\.windowMs must be a number from 1 .*got undefined$/,
    ],
    [
      'a lookup that cannot find',
      { ...good, ...email(able({ lookup: {} })) },
      /capabilities\.lookup must be 'none' or a lookup with find/,
    ],
    ['a class that is null', { ...good, classes: { legal: null } }, /^classes\.legal must be an object/],
  ];

  test.each(WRONG)('refuses %s', (_what, config, message) => {
    expect(() => createNotifier(config as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) }),
    );
  });

  test('takes ports that are classes', () => {
    class Sink {
      emit(): void {}
    }
    class Dice {
      readonly #of = seededRandom(1);
      next(): number {
        return this.#of.next();
      }
      id(): string {
        return this.#of.id();
      }
    }
    expect(() => createNotifier({ ...good, queue, random: new Dice(), telemetry: [new Sink()] })).not.toThrow();
  });
});

const note = { by: 'ops', why: 'asked to' };
const evidence = { deliveryId: null, provider: 'p0', providerMessageId: 'm', kind: 'delivered', at: 0, detail: null };
const optOut = { tenant: 't', recipientId: 'r', topic: '*', channel: '*', suppressed: true, ...note };
const block = { scope: 'all', blocked: true, recheckMs: 1_000, ...note };

describe('an operator', () => {
  type Calls = Record<string, (...args: unknown[]) => unknown>;
  const WRONG: readonly (readonly [call: string, args: readonly unknown[], message: RegExp])[] = [
    ...['cancel', 'replay'].flatMap((call) => [
      [call, [], new RegExp(`^${call} takes a list of ids, got undefined$`)] as const,
      [call, ['d_1', note], new RegExp(`^${call} takes a list of ids, got 'd_1'$`)] as const,
      [call, [[7], note], new RegExp(`^${call}: ids\\[0\\] must be the id of .*, got 7$`)] as const,
      [call, [['d_1', ''], note], new RegExp(`^${call}: ids\\[1\\] must be .*, got ''$`)] as const,
      [call, [['d_1']], new RegExp(`^${call} needs a note \\{ by, why \\}: .*got undefined$`)] as const,
      [call, [['d_1'], null], new RegExp(`^${call} needs a note`)] as const,
      [call, [['d_1'], {}], new RegExp(`^${call}: by must be a text of 1 to 4096 characters, got undefined$`)] as const,
      [call, [['d_1'], { by: 'ops', why: '' }], new RegExp(`^${call}: why must be .*got ''$`)] as const,
      [
        call,
        [['d_1'], { ...note, whyy: 1 }],
        new RegExp(`^${call}: whyy is not an option; .*Did you mean 'why'\\?$`),
      ] as const,
    ]),
    ['replay', [['d_1'], { ...note, force: 'yes' }], /^replay: force must be true or false, got 'yes'$/],
    ...['suppress', 'block', 'record'].flatMap((call) => [
      [call, [], new RegExp(`^${call} takes a list of requests, got undefined$`)] as const,
      [call, [{}], new RegExp(`^${call} takes a list of requests, got an object`)] as const,
      [call, [[null]], new RegExp(`^${call}: \\[0\\] must be an object \\{ .*got null$`)] as const,
      [call, [[{}]], new RegExp(`^${call}: \\[0\\]\\.\\w+ must be .*got undefined$`)] as const,
    ]),
    [
      'suppress',
      [[optOut, { ...optOut, channel: 'fax' }]],
      /^suppress: \[1\]\.channel must be one of email, .*got 'fax'$/,
    ],
    ['suppress', [[{ ...optOut, suppressed: 1 }]], /^suppress: \[0\]\.suppressed must be true or false, got 1$/],
    ['block', [[{ ...block, scope: 'provider:' }]], /^block: \[0\]\.scope must be 'all', .*got 'provider:'$/],
    ['block', [[{ ...block, scope: 'channel:fax' }]], /^block: \[0\]\.scope must be/],
    ['block', [[{ ...block, recheckMs: NaN }]], /^block: \[0\]\.recheckMs must be a number from 0 .*got NaN$/],
    ['record', [[{ ...evidence, kind: 'opened' }]], /^record: \[0\]\.kind must be one of .*got 'opened'$/],
    ['record', [[{ ...evidence, at: '2026' }]], /^record: \[0\]\.at must be epoch ms, got '2026'$/],
    ['record', [[{ ...evidence, deliveryId: 7 }]], /^record: \[0\]\.deliveryId must be null or a text/],
    ['find', [], /^find takes the id of a notification or delivery, got undefined$/],
    ['find', [7], /^find takes the id .*got 7$/],
    ['history', [null], /^history takes the id .*got null$/],
  ];

  test.each(WRONG)('%s(...%j) is refused', async (call, args, message) => {
    const notifier = createNotifier(good) as unknown as Calls;
    await expect((async () => notifier[call]?.(...args))()).rejects.toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringMatching(message) }),
    );
  });

  test.each<[call: string, args: readonly unknown[]]>([
    ['cancel', [['d_1'], note]],
    ['cancel', [[], note]],
    ['replay', [['d_1'], { ...note, force: true }]],
    ['suppress', [[optOut]]],
    ['block', [[block, { ...block, scope: 'class:legal' }, { ...block, scope: 'provider:p0' }]]],
    ['record', [[evidence]]],
    ['find', ['d_1']],
    ['history', ['d_1']],
  ])('%s(...%j) is taken', async (call, args) => {
    const notifier = createNotifier(good) as unknown as Calls;
    await expect(notifier[call]?.(...args)).resolves.not.toThrow();
  });

  test.each([null, 7, 'x', []])('cannot make a worker of %j', (options) => {
    expect(() => createNotifier(good).worker(options as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(/^worker takes an object/) }),
    );
  });
});
