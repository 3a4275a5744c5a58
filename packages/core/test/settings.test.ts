import { describe, expect, test } from 'vitest';
import {
  CLASS_POLICIES,
  createNotifier,
  DELIVERY_CLASSES,
  type NotificationType,
  type NotifierConfig,
  type WorkerOptions,
} from '../src/index.ts';
import { resolveSettings } from '../src/internal.ts';
import { manualClock, memoryLedger, memoryProvider, memoryQueue } from '../src/memory/index.ts';

const clock = manualClock();
const email = { providers: [memoryProvider({ clock, name: 'p0' })] };
const hello: NotificationType<never> = { class: 'transactional', content: () => ({ text: 'hello' }) };

function config(patch: Partial<NotifierConfig> = {}): NotifierConfig {
  return { ledger: memoryLedger({ clock }), channels: { email }, notifications: { hello }, clock, ...patch };
}

function withType(patch: Record<string, unknown>): NotifierConfig {
  return config({ notifications: { hello: { ...hello, ...patch } } });
}

const invalid = (message: RegExp) =>
  expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) });

describe('a worker option', () => {
  const BOUNDS: readonly [keyof WorkerOptions, least: number, preset: number, most: number][] = [
    ['concurrency', 1, 50, 10_000],
    ['batch', 1, 50, 1_000],
    ['leaseMs', 1_000, 30_000, 3_600_000],
    ['dispatchMs', 1_000, 60_000, 3_600_000],
    ['sendMarginMs', 0, 5_000, 59_999],
    ['keyMarginMs', 60_001, 120_000, 86_400_000],
    ['pollMs', 1, 250, 60_000],
    ['waitMs', 0, 1_000, 20_000],
    ['sweepMs', 10, 1_000, 60_000],
    ['lateMs', 0, 5_000, 3_600_000],
    ['strayAfterMs', 1_000, 60_000, 86_400_000],
    ['chunk', 1, 500, 10_000],
    ['maxTargets', 1, 10_000_000, 1_000_000_000],
    ['routeMs', 1_000, 3_600_000, 86_400_000],
    ['graceMs', 0, 10_000, 3_600_000],
    ['noProgressMs', 1_000, 60_000, 86_400_000],
  ];
  const value = (name: keyof WorkerOptions, given: unknown) => {
    // The longest dispatch window needs a key margin that is longer still.
    const beside = name === 'dispatchMs' ? { keyMarginMs: 86_400_000 } : {};
    const channels = { email: { providers: [memoryProvider({ clock, windowMs: 10 * 86_400_000 })] } };
    return resolveSettings(config({ channels, worker: { ...beside, [name]: given } })).worker[name];
  };

  test.each(BOUNDS)('%s may be %d, is %d by default, and may be %d', (name, least, preset, most) => {
    expect(value(name, least)).toBe(least);
    expect(value(name, undefined)).toBe(preset);
    expect(value(name, most)).toBe(most);
  });

  test.each(BOUNDS)('%s may not be less than %d (default %d) or more than %d', (name, least, _preset, most) => {
    for (const wrong of [least - 1, most + 1, NaN, Infinity, String(least)]) {
      expect(() => value(name, wrong)).toThrow(invalid(new RegExp(`^worker\\.${name}`)));
      expect(() => value(name, wrong)).toThrow(invalid(new RegExp(String(wrong))));
    }
  });

  test('that does not exist is named beside those that do', () => {
    const worker = { concurency: 5 } as WorkerOptions;
    expect(() => resolveSettings(config({ worker }))).toThrow(
      invalid(/^worker\.concurency is not an option; known: concurrency, batch/),
    );
  });

  test('is checked again when a worker overrides it', () => {
    const notifier = createNotifier(config());
    expect(() => notifier.worker({ batch: 0 })).toThrow(
      invalid(/^worker\.batch must be a whole number from 1 to 1000, got 0$/),
    );
  });

  test('for a send margin may not use up the dispatch window', () => {
    const worker = { dispatchMs: 2_000, sendMarginMs: 2_000 };
    expect(() => resolveSettings(config({ worker }))).toThrow(
      invalid(/sendMarginMs \(2000\) must be shorter than worker.dispatchMs \(2000\)/),
    );
  });

  test('for a key margin may not be as short as the dispatch window', () => {
    const worker = { dispatchMs: 60_000, keyMarginMs: 60_000 };
    expect(() => resolveSettings(config({ worker }))).toThrow(
      invalid(/keyMarginMs \(60000\) must be longer than worker.dispatchMs/),
    );
  });

  test('for the margins follows a shorter dispatch window', () => {
    const { worker } = resolveSettings(config({ worker: { dispatchMs: 4_000 } }));
    expect(worker).toMatchObject({ sendMarginMs: 1_000, keyMarginMs: 8_000 });
  });

  test('for one stage needs a queue of its own, where there is one at all', () => {
    const queue = memoryQueue({ clock });
    expect(() => createNotifier(config()).worker({ stages: ['deliver'] })).not.toThrow();
    expect(() => createNotifier(config({ queue })).worker({ stages: ['deliver'] })).toThrow(
      invalid(/set eventsQueue beside queue/),
    );
    const eventsQueue = memoryQueue({ clock });
    expect(() => createNotifier(config({ queue, eventsQueue })).worker({ stages: ['deliver'] })).not.toThrow();
  });
});

describe('channels', () => {
  const provider = memoryProvider({ clock, name: 'p0' });
  test.each<[why: string, channels: unknown, message: RegExp]>([
    ['none', {}, /^channels is empty/],
    ['one that does not exist', { fax: email }, /^channels\.fax is not a channel; known: email, sms/],
    ['one without a provider', { email: { providers: [] } }, /^channels\.email has no providers/],
    [
      'two providers of one name',
      { email: { providers: [provider, provider] } },
      /two providers of one name \(p0, p0\)/,
    ],
  ])('may not be: %s', (_why, channels, message) => {
    expect(() => resolveSettings(config({ channels: channels as NotifierConfig['channels'] }))).toThrow(
      invalid(message),
    );
  });

  test('keep their providers in the order given', () => {
    const providers = ['b', 'a'].map((name) => memoryProvider({ clock, name }));
    expect(resolveSettings(config({ channels: { sms: { providers } } })).channels.get('sms')?.order).toEqual([
      'b',
      'a',
    ]);
  });
});

describe('a notification type', () => {
  test.each<[why: string, patch: Record<string, unknown>, message: RegExp]>([
    ['no class', { class: undefined }, /^notifications\.hello\.class must be one of security, .*got undefined/],
    ['a class that does not exist', { class: 'urgent' }, /got urgent/],
    [
      'marketing without an expiry',
      { class: 'marketing' },
      /^notifications\.hello\.expiresInMs is required: class marketing/,
    ],
    ['an expiry in the past', { expiresInMs: 0 }, /expiresInMs must be more than 0 ms, got 0/],
    ['no attempt', { maxAttempts: 0 }, /maxAttempts must be a whole number from 1 to 100, got 0/],
    ['half an attempt', { maxAttempts: 1.5 }, /got 1\.5/],
    ['too many attempts', { maxAttempts: 101 }, /got 101/],
  ])('may not have: %s', (_why, patch, message) => {
    expect(() => resolveSettings(withType(patch))).toThrow(invalid(message));
  });

  test.each(DELIVERY_CLASSES)('of class %s has what its class decides', (of) => {
    const expiresInMs = CLASS_POLICIES[of].expiresInMs ?? 1_000;
    const { types } = resolveSettings(withType({ class: of, expiresInMs }));
    expect(types.get('hello')?.policy).toEqual({ ...CLASS_POLICIES[of], expiresInMs });
  });

  test('goes its own way before its class in the config, and that before the table', () => {
    const classes = { transactional: { maxAttempts: 2, expiresInMs: 5_000 } };
    const { types } = resolveSettings({ ...withType({ maxAttempts: 3 }), classes });
    expect(types.get('hello')?.policy).toMatchObject({ maxAttempts: 3, expiresInMs: 5_000, onUnknown: 'park' });
  });

  test.each([
    { of: 'transactional', topic: undefined, resolved: 'hello' },
    { of: 'transactional', topic: 'news', resolved: 'news' },
    { of: 'security', topic: 'news', resolved: null },
    { of: 'legal', topic: undefined, resolved: null },
  ])('of class $of with topic $topic can be opted out of as $resolved', ({ of, topic, resolved }) => {
    const { types } = resolveSettings(withType({ class: of, ...(topic === undefined ? {} : { topic }) }));
    expect(types.get('hello')?.topic).toBe(resolved);
  });
});

describe('an option that cannot work', () => {
  const retry = (given: unknown): NotifierConfig => withType({ retry: given });
  const keyed = (windowMs: number): NotifierConfig['channels'] => ({
    email: { providers: [memoryProvider({ clock, name: 'p0', windowMs })] },
  });
  const broken: readonly (readonly [what: string, config: NotifierConfig, message: RegExp])[] = [
    [
      'no stage',
      config({ worker: { stages: [] } }),
      /^worker\.stages must name at least one of decide, deliver, got \[\]$/,
    ],
    [
      'a stage that does not exist',
      config({ worker: { stages: ['route' as 'decide'] } }),
      /^worker\.stages must be one of decide, deliver, got route$/,
    ],
    [
      'half a send slot',
      config({ worker: { concurrency: 1.5 } }),
      /^worker\.concurrency must be a whole number from 1 to 10000, got 1\.5$/,
    ],
    ['half a target', config({ worker: { chunk: 2.5 } }), /^worker\.chunk must be a whole number/],
    ['half a batch', config({ worker: { batch: 2.5 } }), /^worker\.batch must be a whole number/],
    [
      'a retry schedule without a wait',
      retry({ schedule: [] }),
      /^notifications\.hello\.retry\.schedule must be a list of at least one wait in ms, got \[\]$/,
    ],
    [
      'a wait that is no number',
      retry({ schedule: [1, NaN] }),
      /^notifications\.hello\.retry\.schedule\[1\] .*got NaN$/,
    ],
    ['a wait in the past', retry({ schedule: [-1] }), /schedule\[0\] must be a number from 0 to 31536000000, got -1$/],
    [
      'an exponential wait that shrinks',
      retry({ baseMs: 1_000, factor: 0, maxMs: 10 }),
      /^notifications\.hello\.retry\.factor must be a number from 1 to 1000, got 0$/,
    ],
    [
      'an exponential wait that is longer than its longest',
      retry({ baseMs: 1_000, factor: 2, maxMs: 10 }),
      /retry\.maxMs must be a number from 1000 to .*got 10$/,
    ],
    ['an exponential wait without a first', retry({ factor: 2, maxMs: 10 }), /retry\.baseMs .*got undefined$/],
    [
      'a schedule that is misspelt',
      retry({ shedule: [1] }),
      /retry\.shedule is not an option; .*Did you mean 'schedule'\?$/,
    ],
    ['no retry policy at all', retry(null), /retry must be \{ schedule \} or .*got null$/],
    [
      'an action that does not exist',
      withType({ onUnknown: 'retry' }),
      /^notifications\.hello\.onUnknown must be one of replay, lookup, .*park, got retry$/,
    ],
    [
      'a way to look up that does not exist',
      withType({ lookup: 'always' }),
      /lookup must be one of never, once, until-certain/,
    ],
    ['an opt-out that does not exist', withType({ optOut: 'sometimes' }), /optOut must be one of never, topic, always/],
    ['a replay time in the past', withType({ replayForMs: -1 }), /replayForMs must be 0 ms or more .*got -1$/],
    ['a replay time that is none', withType({ replayForMs: NaN }), /got NaN$/],
    ['an expiry that never comes', withType({ expiresInMs: Infinity }), /expiresInMs must be a finite number of ms/],
    ['a failover that is neither', withType({ failoverOnNotSent: 'yes' }), /must be true or false, got yes$/],
    [
      'no content',
      withType({ content: undefined }),
      /^notifications\.hello\.content must be a function, got undefined$/,
    ],
    ['a route that is a list', withType({ route: [] }), /route must be a function/],
    ['a schema of another kind', withType({ schema: {} }), /schema must be a Standard Schema/],
    ['a topic without a name', withType({ topic: '' }), /topic must be a string that is not empty/],
    [
      'a type that is none',
      config({ notifications: { hello: null as never } }),
      /hello must be a notification type, got null/,
    ],
    [
      'an option that a type does not have',
      withType({ maxAttemps: 3 }),
      /^notifications\.hello\.maxAttemps is not an option; known: .*Did you mean 'maxAttempts'\?$/,
    ],
    [
      'an option that a channel does not have',
      config({ channels: { email: { ...email, provider: [] } as never } }),
      /^channels\.email\.provider is not an option; known: providers, addresses\. Did you mean 'providers'\?$/,
    ],
    [
      'a channel that is misspelt',
      config({ channels: { emial: email } as never }),
      /^channels\.emial is not a channel; .*Did you mean 'email'\?$/,
    ],
    [
      'an option that a notifier does not have',
      { ...config(), que: null } as never,
      /^que is not an option; known: ledger, queue, .*Did you mean 'queue'\?$/,
    ],
    [
      'a class that does not exist',
      config({ classes: { transactionel: { maxAttempts: 1 } } as never }),
      /^classes\.transactionel is not a class; .*Did you mean 'transactional'\?$/,
    ],
    [
      'an option of a class that does not exist',
      config({ classes: { legal: { maxAttemps: 1 } as never } }),
      /^classes\.legal\.maxAttemps/,
    ],
    [
      'an option of a class that cannot work',
      config({ classes: { legal: { maxAttempts: 0 } } }),
      /^classes\.legal\.maxAttempts .*got 0$/,
    ],
    [
      'a dead-letter retry that never comes',
      config({ deadLetterRetry: { afterMs: NaN, max: 1 } }),
      /^deadLetterRetry\.afterMs must be a number from 0 to .*got NaN$/,
    ],
    [
      'a share of more than all',
      config({ pruning: { share: 20 } }),
      /^pruning\.share must be a number from 0 to 1, got 20$/,
    ],
    ['half a dead device', config({ pruning: { least: 0.5 } }), /^pruning\.least must be a whole number from 1 to /],
    [
      'a window of pruning that is none',
      config({ pruning: { windowMs: 1 } }),
      /^pruning\.windowMs must be .* ms, got 1$/,
    ],
    ['an option of pruning that is none', config({ pruning: { most: 1 } as never }), /^pruning\.most is not an option/],
    ['a dead-letter retry in the past', config({ deadLetterRetry: { afterMs: -1, max: 1 } }), /got -1$/],
    [
      'a dead-letter retry without a bound',
      config({ deadLetterRetry: { afterMs: 1, max: Infinity } }),
      /^deadLetterRetry\.max must be a whole number from 1 to 100, got Infinity$/,
    ],
    [
      'a key window that the key margin eats up',
      config({ channels: keyed(179_999) }),
      /provider 'p0' remembers a key for 179999 ms, .*keyMarginMs \(120000\).*dispatchMs \(60000\): its key could never be used/,
    ],
    [
      'a provider without a name',
      config({ channels: { email: { providers: [memoryProvider({ clock, name: '' })] } } }),
      /^channels\.email: a provider's name must be a string other than/,
    ],
  ];

  test.each(broken)('is refused when the config is read: %s', (_what, of, message) => {
    expect(() => resolveSettings(of)).toThrow(invalid(message));
    // What was refused is not remembered as checked.
    expect(() => createNotifier(of)).toThrow(invalid(message));
  });

  test('is not what an option at its limit is', () => {
    const of = config({
      channels: keyed(180_000),
      classes: { legal: { retry: { baseMs: 1, factor: 1, maxMs: 1 }, replayForMs: Infinity } },
      deadLetterRetry: { afterMs: 0, max: 100 },
      pruning: { share: 0, least: 1, windowMs: 60_000 },
      worker: { stages: ['deliver'] },
    });
    expect(() => resolveSettings(of)).not.toThrow();
  });

  test('is refused for a worker whose own margins eat up a key window', () => {
    const notifier = createNotifier(config({ channels: keyed(180_000) }));
    expect(() => notifier.worker({ keyMarginMs: 200_000 })).toThrow(invalid(/its key could never be used/));
  });
});

describe('a type that was read once', () => {
  test('is resolved anew under another name and under other class options', () => {
    const type: NotificationType<never> = { ...hello };
    const read = (name: string, classes?: NotifierConfig['classes']) =>
      resolveSettings(
        config({ notifications: { [name]: type }, ...(classes === undefined ? {} : { classes }) }),
      ).types.get(name);
    expect(read('a')).toBe(read('a'));
    expect(read('b')).toMatchObject({ name: 'b', topic: 'b' });
    expect(read('b', { transactional: { maxAttempts: 2 } })?.policy.maxAttempts).toBe(2);
    expect(read('b')?.policy.maxAttempts).toBe(5);
  });
});
