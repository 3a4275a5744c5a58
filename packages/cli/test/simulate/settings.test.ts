import { describe, expect, test } from 'vitest';
import type { SimulationSetup } from '@sendonce/chaos';
import type { SimulateFlags } from '../../src/simulate/flags.ts';
import { simulateSettings } from '../../src/simulate/settings.ts';

const setup: SimulationSetup = {
  recipients: 20,
  workers: 1,
  concurrency: 10,
  provider: 'plain',
  class: 'document',
  onUnknown: 'park',
  queue: true,
  sender: 'naive-lock',
  knobs: { leaseMs: 5_000 },
};
const senders = ['naive-lock', 'ack-first'].map((name) => ({ name, setup, kinds: ['kill', 'outage'] }));
const known = { faults: ['all', 'kill', 'outage'], senders };
const settings = (flags: SimulateFlags): ReturnType<typeof simulateSettings> =>
  simulateSettings(flags, known, () => 'drawn');

describe('the settings of a simulation', () => {
  test('search a small world with every fault when nothing is asked for', () => {
    expect(settings({})).toEqual({
      recipients: 200,
      workers: 4,
      concurrency: null,
      provider: 'keyed',
      class: 'transactional',
      onUnknown: null,
      queue: null,
      knobs: {},
      latency: null,
      kills: [],
      dropAcks: 0,
      profile: ['all'],
      sender: null,
      seed: 'drawn',
      schedules: 100,
      forMs: null,
      recipientsFile: null,
      config: null,
      record: false,
    });
  });

  const cases: readonly [words: string, flags: SimulateFlags, expected: object][] = [
    ['run one schedule of a chosen kill', { 'kill-at': ['20'] }, { schedules: 1, profile: null }],
    ['run one schedule of dropped replies', { 'drop-acks': '5%' }, { schedules: 1, profile: null, dropAcks: 0.05 }],
    ['add drawn faults to a chosen one when asked', { 'kill-at': ['20'], faults: 'outage' }, { profile: ['outage'] }],
    ['take as many schedules as asked', { 'kill-at': ['20'], schedules: '7' }, { schedules: 7 }],
    [
      'keep a broken sender in its own world, with its own faults',
      { break: 'naive-lock' },
      {
        sender: 'naive-lock',
        recipients: 20,
        workers: 1,
        concurrency: 10,
        provider: 'plain',
        class: 'document',
        onUnknown: 'park',
        queue: true,
        knobs: { leaseMs: 5_000 },
        profile: ['kill', 'outage'],
        schedules: 400,
      },
    ],
    [
      'let flags win over the world of a broken sender',
      {
        break: 'naive-lock',
        recipients: '7',
        workers: '3',
        provider: 'keyed',
        class: 'legal',
        'no-queue': true,
        faults: 'all',
      },
      { recipients: 7, workers: 3, provider: 'keyed', class: 'legal', queue: false, profile: ['all'], concurrency: 10 },
    ],
    [
      'show a broken sender the fault that was chosen, and no other',
      { break: 'naive-lock', 'kill-at': ['3'] },
      { sender: 'naive-lock', profile: null, schedules: 1 },
    ],
    [
      'lose no reply and draw no fault where the share is nothing',
      { 'drop-acks': '0' },
      { dropAcks: 0, profile: null, schedules: 1 },
    ],
    ['tell no queue from the default', { queue: 'none' }, { queue: false }],
    ['keep the seed that was given', { seed: '7f3a' }, { seed: '7f3a' }],
    ['keep the seed of one schedule of a search', { seed: 'q/7', schedules: '1' }, { seed: 'q/7', schedules: 1 }],
    [
      'leave the number of people to the file',
      { 'recipients-file': 'x.csv', 'kill-at': ['900'] },
      { recipientsFile: 'x.csv' },
    ],
    [
      'take a list and a number of examples beside a config',
      { 'recipients-file': 'x.csv', recipients: '7', config: 'x.ts' },
      { recipientsFile: 'x.csv', recipients: 7, config: 'x.ts' },
    ],
  ];
  test.each(cases)('%s', (_words, flags, expected) => {
    expect(settings(flags)).toMatchObject(expected);
  });

  const refused: readonly [flags: SimulateFlags, message: string][] = [
    [{ break: 'naive-lok' }, '--break "naive-lok": did you mean naive-lock? Expected one of naive-lock, ack-first'],
    [{ class: 'legl' }, 'did you mean legal? Expected one of security, '],
    [
      { 'on-unknown': 'assume' },
      '--on-unknown "assume": did you mean assume-sent? Expected one of replay, lookup, resend, failover, assume-sent, park',
    ],
    [{ seed: 'q/x' }, 'and after them /N for one schedule of a search'],
    [{ break: 'naive' }, '--break "naive": did you mean naive-lock? Expected one of'],
    [{ seed: 'a b' }, '--seed "a b": expected 1 to 64 letters, digits, dots, dashes or underscores'],
    [
      { recipients: '5', 'recipients-file': 'x.csv' },
      '--recipients-file does not go with --recipients: the file says how many there are.',
    ],
    [{ schedules: '5', for: '5s' }, '--schedules does not go with --for'],
    [
      { replay: 'x.plan.json', seed: '1', 'no-queue': true },
      '--replay does not go with --seed, --no-queue: the plan says everything else.',
    ],
    [{ 'self-test': true, report: 'out' }, '--self-test does not go with --report'],
    [{ config: 'x.ts', provider: 'plain' }, '--config does not go with --provider'],
  ];
  test.each(refused)('refuse %j', (flags, message) => {
    expect(() => settings(flags)).toThrow(expect.objectContaining({ code: 'FLAG_INVALID' }));
    expect(() => settings(flags)).toThrow(message);
  });
});
