import { execFileSync } from 'node:child_process';
import { Parser } from '@oclif/core';
import { describe, expect, test } from 'vitest';
import { SIMULATE_FLAGS, type SimulateFlags } from '../../src/simulate/flags.ts';
import { againLine, quoted } from '../../src/simulate/again.ts';

/** The flags that the command hears when a shell runs the line. */
async function readBack(line: string): Promise<SimulateFlags> {
  const said = execFileSync('/bin/sh', ['-c', `npx() { printf '%s\\0' "$@"; }; ${line}`], { encoding: 'utf8' });
  const [, , ...argv] = said.split('\0').slice(0, -1);
  const { flags } = await Parser.parse(argv, { flags: SIMULATE_FLAGS });
  return flags;
}

describe('the line that runs it again', () => {
  const cases: readonly [flags: SimulateFlags, line: string][] = [
    [{}, 'npx notify simulate --seed 7f'],
    [
      { seed: 'old', recipients: '2000', 'kill-at': ['800', '900:mid-batch'] },
      'npx notify simulate --recipients 2000 --kill-at 800 --kill-at 900:mid-batch --seed 7f',
    ],
    [
      { real: true, ledger: 'postgres://me:s3cret@host/db', queue: 'amqp://me:s3cret@host' },
      'npx notify simulate --real --ledger postgres://me@host/db --queue amqp://me@host --seed 7f',
    ],
    [
      { real: true, ledger: 'redis:', queue: 'sqs+http://id:s3cret@host:4566', restart: ['ledger@8'] },
      'npx notify simulate --real --ledger redis: --queue sqs+http://id@host:4566 --restart ledger@8 --seed 7f',
    ],
    [{ real: true, ledger: 'sqlite:run.db' }, 'npx notify simulate --real --seed 7f'],
    [{ 'no-queue': true, json: true, 'no-color': true, report: 'out' }, 'npx notify simulate --no-queue --seed 7f'],
    [
      { 'drop-acks': '5%', 'recipients-file': "my list's.csv" },
      `npx notify simulate --drop-acks 5% --recipients-file 'my list'\\''s.csv' --seed 7f`,
    ],
  ];
  test.each(cases)('of %j', (flags, line) => {
    expect(againLine(flags, '7f')).toBe(line);
  });

  test('has no seed where the plan has one', () => {
    expect(againLine({ replay: 'a.plan.json' }, null)).toBe('npx notify simulate --replay a.plan.json');
  });

  const odd = [
    '--',
    '-',
    '-a',
    '--no',
    '-0',
    '.',
    '',
    ' ',
    "it's",
    'say "so"',
    'two\nlines',
    '\\',
    '$HOME',
    'ü',
    '*',
    '~',
    '=',
  ];
  test.each(odd)('gives the seed %j back through a shell and the flags', async (seed) => {
    const flags: SimulateFlags = {
      'no-queue': true,
      'recipients-file': `${seed}.csv`,
      'kill-at': [seed, seed],
      config: seed,
    };
    const { seed: again, ...rest } = await readBack(againLine(flags, seed));
    expect([again, rest]).toEqual([seed, flags]);
  });

  test.each(['a b', "it's", '$HOME', '`x`', 'a"b', 'ü', '*'])('quotes %s so that a shell reads it back', (text) => {
    expect(execFileSync('/bin/sh', ['-c', `printf %s ${quoted(text)}`], { encoding: 'utf8' })).toBe(text);
  });
});
