import type { NotifierConfig } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import type { Recipients } from '../../src/recipients/collect-recipients.ts';
import type { SimulateFlags } from '../../src/simulate/flags.ts';
import { simulateSettings } from '../../src/simulate/settings.ts';
import { simulateOptions } from '../../src/simulate/simulate-options.ts';

const known = { faults: ['all'], senders: [] };
const targets = Array.from({ length: 30 }, (_, i) => ({ channel: 'email' as const, to: `a${i}@x.org` }));
const recipients: Recipients = { source: 'x.csv', rows: 30, targets, doubles: [], invalid: [] };
const config = { worker: { concurrency: 7 }, channels: {}, notifications: {} } as unknown as NotifierConfig;

const options = (
  flags: SimulateFlags,
  brought: { recipients?: Recipients; config?: NotifierConfig } = {},
): ReturnType<typeof simulateOptions> =>
  simulateOptions(
    simulateSettings(flags, known, () => 'drawn'),
    { recipients: null, config: null, ...brought },
  );

describe('what the harness is asked for', () => {
  test('is a world of the flags', () => {
    expect(options({ recipients: '50', 'kill-at': ['20'], seed: '7' })).toEqual({
      setup: {
        recipients: 50,
        workers: 4,
        concurrency: 50,
        provider: 'keyed',
        class: 'transactional',
        onUnknown: null,
        queue: true,
        sender: null,
        knobs: {},
      },
      seed: '7',
      faults: [{ do: 'kill', acceptance: 20, moment: 'after-accept' }],
      dropAcks: 0,
      schedules: 1,
      forMs: null,
      profile: null,
      workload: null,
      record: false,
    });
  });

  const cases: readonly [words: string, given: ReturnType<typeof options>, expected: object][] = [
    [
      'has as many recipients as the list',
      options({}, { recipients }),
      { setup: { recipients: 30 }, workload: { kind: 'recipients', targets, doubles: [] } },
    ],
    [
      'has the concurrency of the config, and its lack of a queue',
      options({}, { config }),
      { setup: { concurrency: 7, queue: false } },
    ],
    [
      'lets flags win over the config',
      options({ concurrency: '9', queue: 'simulated' }, { config }),
      { setup: { concurrency: 9, queue: true } },
    ],
    [
      'sends types without a route to the list',
      options({ recipients: '5' }, { config, recipients }),
      { setup: { recipients: 5 }, workload: { kind: 'config', samples: 5, targets } },
    ],
    ['keeps the events of a run that is reported', options({ report: 'out' }), { record: true }],
    ['keeps none of a run that is too large', options({ report: 'out', recipients: '20001' }), { record: false }],
  ];
  test.each(cases)('%s', (_words, given, expected) => {
    expect(given).toMatchObject(expected);
  });

  test('may kill at the last acceptance and not after it, unless nobody knows how many there are', () => {
    expect(() => options({ recipients: '10', 'kill-at': ['10'] })).not.toThrow();
    expect(() => options({ recipients: '10', 'kill-at': ['11'] })).toThrow(
      '--kill-at "11": did you mean 10? Expected a number from 1 to 10, as there are 10 recipients; or --recipients 11',
    );
    // The list says how many there are.
    expect(() => options({ 'kill-at': ['31'] }, { recipients })).toThrow(
      /a number from 1 to 30, as there are 30 recipients$/,
    );
    expect(() => options({ 'kill-at': ['31'] }, { config })).not.toThrow();
  });

  test.each([
    ['lookup', '10s', /--latency 10s is too long here: a lookup takes up to 10000 ms and is waited for only 10000 ms/],
    ['lookup', '1ms-1h', /a lookup takes up to 3600000 ms/],
    ['keyed', '2m', /keyMarginMs, now 120000, must be more than 120000/],
  ] as const)('is refused where no sender could be right: %s, %s', (provider, latency, message) => {
    expect(() => options({ provider, latency })).toThrow(
      expect.objectContaining({ code: 'FLAG_INVALID', message: expect.stringMatching(message) as string }),
    );
  });

  test.each([
    ['lookup', '9998ms'],
    ['keyed', '119s'],
    ['plain', '1h'],
  ] as const)('may answer as late as a sender can bear: %s, %s', (provider, latency) => {
    expect(() => options({ provider, latency })).not.toThrow();
  });
});
