import { describe, expect, test } from 'vitest';
import { parseFaults } from '../../src/flags/parse-faults.ts';
import { parseKillAt } from '../../src/flags/parse-kill-at.ts';
import { parseChoice, parseCount, parseDuration, parseShare, parseSpan } from '../../src/flags/parse-values.ts';

type Case = readonly [given: string, expected: unknown];
type Refusal = readonly [given: string, message: string];

const PARSERS: readonly {
  readonly name: string;
  readonly parse: (text: string) => unknown;
  readonly good: readonly Case[];
  readonly bad: readonly Refusal[];
}[] = [
  {
    name: 'a count',
    parse: (text) => parseCount('recipients', text, 1, 1_000_000),
    good: [
      ['1', 1],
      [' 2000 ', 2000],
      ['2_000', 2000],
      ['1,000,000', 1_000_000],
    ],
    bad: [
      ['0', 'did you mean 1? Expected a whole number from 1 to 1,000,000'],
      ['1000001', 'did you mean 1000000? Expected a whole number from 1 to 1,000,000'],
      ['-5', 'did you mean 1? Expected a whole number from 1 to 1,000,000'],
      ['2.5', 'did you mean 3? Expected a whole number from 1 to 1,000,000'],
      ['1e3', 'did you mean 1000? Expected a whole number from 1 to 1,000,000'],
      ['many', 'expected a whole number from 1 to 1,000,000'],
      ['1,00', 'expected a whole number from 1 to 1,000,000'],
    ],
  },
  {
    name: 'a time',
    parse: (text) => parseDuration('for', text),
    good: [
      ['500ms', 500],
      ['60s', 60_000],
      ['1.5m', 90_000],
      ['5 min', 300_000],
      ['24h', 86_400_000],
    ],
    bad: [
      ['60', 'did you mean 60s? Expected a time with its unit, from 1ms to 24h, such as 500ms, 60s, 5m or 1h'],
      ['25h', 'expected a time with its unit, from 1ms to 24h, such as 500ms, 60s, 5m or 1h'],
      ['0s', 'expected a time with its unit, from 1ms to 24h, such as 500ms, 60s, 5m or 1h'],
      ['soon', 'expected a time with its unit, from 1ms to 24h, such as 500ms, 60s, 5m or 1h'],
    ],
  },
  {
    name: 'a span',
    parse: (text) => parseSpan('latency', text),
    good: [
      ['50ms', [50, 50]],
      ['20ms-400ms', [20, 400]],
      ['0ms - 1s', [0, 1_000]],
      ['1h', [3_600_000, 3_600_000]],
    ],
    bad: [
      ['50', 'expected a time with its unit, or the least and the most, from 0ms to 1h'],
      ['400ms-20ms', 'expected a time with its unit'],
      ['1ms-2ms-3ms', 'expected a time with its unit'],
      ['-5ms', 'expected a time with its unit'],
      ['2h', 'from 0ms to 1h'],
      ['', 'expected a time with its unit'],
    ],
  },
  {
    name: 'a share',
    parse: (text) => parseShare('drop-acks', text),
    good: [
      ['5%', 0.05],
      ['0.05', 0.05],
      ['100%', 1],
      ['0', 0],
    ],
    bad: [
      ['5', 'did you mean 5%? Expected a share from 0% to 100%, such as 5% or 0.05'],
      ['101%', 'expected a share from 0% to 100%, such as 5% or 0.05'],
      ['-1%', 'expected a share from 0% to 100%, such as 5% or 0.05'],
    ],
  },
  {
    name: 'a choice',
    parse: (text) => parseChoice('provider', text, ['keyed', 'lookup', 'plain']),
    good: [['Keyed', 'keyed']],
    bad: [
      ['keyd', 'did you mean keyed? Expected one of keyed, lookup, plain'],
      ['ses', 'expected one of keyed, lookup, plain'],
    ],
  },
  {
    name: 'a list of faults',
    parse: (text) => parseFaults(text, ['all', 'kill', 'outage']),
    good: [['kill, outage@provider.send', ['kill', 'outage@provider.send']]],
    bad: [
      [
        'kil,outage',
        '--faults "kil,outage": did you mean kill? Expected words separated by commas, each one of all, kill, outage',
      ],
      [',', 'expected words separated by commas, each one of all, kill, outage'],
    ],
  },
  {
    name: 'a kill',
    parse: parseKillAt,
    good: [
      ['800', { do: 'kill', acceptance: 800, moment: 'after-accept' }],
      ['800:before-send', { do: 'kill', acceptance: 800, moment: 'before-send' }],
      ['1:mid-batch', { do: 'kill', acceptance: 1, moment: 'mid-batch' }],
    ],
    bad: [
      [
        '800:before-sent',
        'did you mean 800:before-send? Expected N or N:MOMENT, with MOMENT one of after-accept, before-send, before-ack, mid-batch',
      ],
      ['800:mid', 'did you mean 800:mid-batch? Expected N'],
      ['800:', 'expected N or N:MOMENT, with MOMENT one of after-accept, before-send, before-ack, mid-batch'],
      ['0', 'did you mean 1? Expected a whole number from 1 to 1,000,000,000'],
      ['x:mid-batch', 'expected a whole number from 1 to 1,000,000,000'],
    ],
  },
];

describe.each(PARSERS)('$name', ({ parse, good, bad }) => {
  test.each(good)('may be written %j', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  test.each(bad)('may not be written %j', (text, message) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'FLAG_INVALID' }));
    expect(() => parse(text)).toThrow(message);
  });
});
