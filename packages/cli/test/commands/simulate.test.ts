import { describe, expect, test } from 'vitest';
import { KNOWN_BAD_SENDERS } from '@sendonce/chaos';
import { SIMULATE_FLAGS } from '../../src/simulate/flags.ts';
import { notify } from '../notify.ts';
import { ended, json, KEYS } from '../simulate-report.ts';

const kill = ['simulate', '--recipients', '200', '--kill-at', '80', '--seed', 'apple'];
/** The parts of a text that no run shares with another. */
const stable = (text: string): string => text.replace(/^ {2}took .*$/m, '  took');

describe('notify simulate --kill-at', () => {
  test('passes with about a dozen lines: nobody twice, nobody forgotten', async () => {
    const { code, stdout, stderr } = await notify(kill);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^PASS {2}200 of 200 recipients got exactly one message/);
    expect(stdout).toContain('0 duplicated, 0 lost, 0 phantom');
    expect(stdout).toMatch(/1 armed, 1 fired: w\d killed at acceptance 80 \(after-accept\)/);
    expect(stdout).toMatch(/without: up to \d+ would be parked/);
    expect(stdout).toContain('notify simulate --recipients 200 --kill-at 80 --seed apple');
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(13);
  });

  test('gives the same again for the same seed', async () => {
    const [first, second] = await Promise.all([notify([...kill, '--json']), notify([...kill, '--json'])]);
    expect([first.code, second.code]).toEqual([0, 0]);
    const { wallMs: _first, ...one } = json(first.stdout);
    const { wallMs: _second, ...other } = json(second.stdout);
    expect(one).toEqual(other);
  });

  test('prints exactly the keys of the contract under --json, and sums that add up', async () => {
    const { code, stdout } = await notify([...kill, '--json']);
    const result = json(stdout);
    expect(code).toBe(0);
    expect(Object.keys(result)).toEqual(KEYS);
    expect(result).toMatchObject({
      schema: 'sendonce.simulate/1',
      verdict: 'pass',
      mode: 'virtual',
      seed: 'apple',
      recipients: 200,
      workers: 4,
      schedules: 1,
      input: 200,
      requested: 200,
      faults: { armed: 1, fired: 1 },
      violations: [],
      kills: [{ at: 80, phase: 'after-accept' }],
    });
    expect(ended(result)).toBe(200);
    expect(result['recovered']).toBeGreaterThan(0);
  });

  const moments = ['after-accept', 'before-send', 'before-ack', 'mid-batch'];
  test.each(moments)('kills %s, and passes', async (moment) => {
    const { code, stdout } = await notify([
      'simulate',
      '--recipients',
      '100',
      '--kill-at',
      `40:${moment}`,
      '--seed',
      'pear',
      '--json',
    ]);
    expect({ code, kills: json(stdout)['kills'] }).toMatchObject({ code: 0, kills: [{ at: 40, phase: moment }] });
  });

  test('may be given twice, with and without a queue', async () => {
    const two = [
      'simulate',
      '--recipients',
      '100',
      '--kill-at',
      '20',
      '--kill-at',
      '60:before-ack',
      '--seed',
      'plum',
      '--json',
    ];
    for (const args of [two, [...two, '--no-queue']]) {
      const { code, stdout } = await notify(args);
      expect(code).toBe(0);
      expect(json(stdout)['kills']).toHaveLength(2);
    }
  });
});

describe('notify simulate --drop-acks', () => {
  const drop = ['simulate', '--recipients', '200', '--drop-acks', '5%', '--seed', 'apple', '--json'];
  const models: readonly (readonly [args: readonly string[], end: string])[] = [
    [['--provider', 'keyed'], 'recovered'],
    [['--provider', 'lookup'], 'recovered'],
    [['--provider', 'plain'], 'parked'],
    [['--provider', 'plain', '--class', 'marketing'], 'assumed'],
    [['--provider', 'plain', '--class', 'security'], 'resent'],
    [['--provider', 'plain', '--on-unknown', 'assume-sent'], 'assumed'],
  ];
  test.each(models)('%j ends the lost replies as %s', async (args, end) => {
    const { code, stdout } = await notify([...drop, ...args]);
    const result = json(stdout);
    expect(code).toBe(0);
    expect(ended(result)).toBe(200);
    expect(result[end]).toBeGreaterThan(0);
    expect(result[end]).toBeLessThan(40);
  });

  test('lists who was parked, with the reason', async () => {
    const { stdout } = await notify([
      'simulate',
      '--recipients',
      '200',
      '--drop-acks',
      '5%',
      '--provider',
      'plain',
      '--seed',
      'apple',
    ]);
    expect(stdout).toMatch(/\nNot sent \(\d+\), each with its reason\n {2}parked {2}r\d+ <.+@.+>: \S/);
  });
});

describe('notify simulate --drop-acks 0', () => {
  test('breaks nothing', async () => {
    const { code, stdout } = await notify([
      'simulate',
      '--recipients',
      '20',
      '--drop-acks',
      '0',
      '--seed',
      'apple',
      '--json',
    ]);
    expect({ code, ...json(stdout) }).toMatchObject({
      code: 0,
      schedules: 1,
      once: 20,
      faults: { armed: 0, fired: 0 },
    });
  });
});

describe('the output of notify simulate', () => {
  test('has no escape codes when it is piped, nor under NO_COLOR, and is the same both ways', async () => {
    const [piped, bare, forced] = await Promise.all([
      notify(kill),
      notify(kill, { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }),
      notify(kill, { env: { FORCE_COLOR: '1' } }),
    ]);
    expect(piped.stdout + bare.stdout).not.toContain('\u001b');
    expect(stable(bare.stdout)).toBe(stable(piped.stdout));
    expect(forced.stdout).toContain('\u001b[');
  });

  test('for some time is the same again by the line that it prints, on any machine', async () => {
    const { stdout } = await notify(['simulate', '--for', '1s', '--recipients', '20', '--seed', 'apple']);
    const [, words = ''] = /^ {2}again +npx notify (.*)$/m.exec(stdout) ?? [];
    expect(words).toMatch(/^simulate .*--schedules \d+/);
    expect(words).not.toContain('--for');
    const traceOf = (text: string): string | undefined => /trace (\w+)/.exec(text)?.[1];
    const again = await notify(words.split(' '));
    expect(traceOf(stdout)).toMatch(/\w{8}/);
    expect(traceOf(again.stdout)).toBe(traceOf(stdout));
  }, 60_000);

  test('shows what is known when it is interrupted, and exits with 130', async () => {
    const { code, stdout } = await notify(['simulate', '--for', '60s', '--recipients', '50', '--seed', 'apple'], {
      interruptOn: /schedules/,
    });
    expect(code).toBe(130);
    expect(stdout).toMatch(/^INTERRUPTED {2}after [\d,]+ schedules?/);
  }, 60_000);
});

describe('a long single run', () => {
  test('shows how far it is, and stops within a second of Ctrl-C', async () => {
    const started = performance.now();
    let interruptedAt = 0;
    const { code, stdout } = await notify(
      ['simulate', '--recipients', '1000000', '--kill-at', '800', '--seed', 'apple'],
      {
        interruptOn: /recipients settled/,
        onInterrupt: () => (interruptedAt ||= performance.now()),
      },
    );
    expect(code).toBe(130);
    expect(interruptedAt).toBeGreaterThan(started);
    // A second, and what a busy machine adds to it.
    expect(performance.now() - interruptedAt).toBeLessThan(3_000);
    expect(stdout === '' || stdout.startsWith('INTERRUPTED  before any schedule came to its end')).toBe(true);
  }, 60_000);
});

describe('a mistake on the command line', () => {
  const mistakes: readonly (readonly [args: readonly string[], message: string])[] = [
    [
      ['--provider', 'keyd'],
      'Error FLAG_INVALID: --provider "keyd": did you mean keyed? Expected one of keyed, lookup, plain',
    ],
    [['--providr', 'plain'], 'Error FLAG_INVALID: there is no flag --providr. Did you mean --provider?'],
    [
      ['--kill-at', '800:after'],
      'Error FLAG_INVALID: --kill-at "800:after": did you mean 800:after-accept? Expected N or N:MOMENT',
    ],
    [
      ['--recipients', '10', '--kill-at', '11'],
      'Error FLAG_INVALID: --kill-at "11": did you mean 10? Expected a number from 1 to 10',
    ],
    [['--break', 'naive'], 'Error FLAG_INVALID: --break "naive": did you mean naive-lock? Expected one of '],
    [['--seed'], 'Error FLAG_INVALID: Flag --seed expects a value'],
    [['2000'], 'Error FLAG_INVALID: "2000" belongs to no flag'],
    [['--recipients-file', 'none.csv'], 'Error RECIPIENTS_FILE_INVALID: none.csv: there is no such file'],
    [['--config', 'none.config.ts'], 'Error CONFIG_FILE_INVALID: none.config.ts: there is no such file'],
    [['--replay', 'none.plan.json'], 'Error PLAN_INVALID: none.plan.json: there is no such file'],
  ];
  test.each(mistakes)('such as %j exits with 2 and says what would be right', async (args, message) => {
    const { code, stdout, stderr } = await notify(['simulate', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/\n {2}See docs\/reference\/errors\.md#\w+\n/);
  });

  test('is one JSON object under --json, with the exit code unchanged', async () => {
    const { code, stdout } = await notify(['simulate', '--provider', 'keyd', '--json']);
    expect(code).toBe(2);
    expect(json(stdout)).toEqual({
      schema: 'sendonce.error/1',
      error: {
        code: 'FLAG_INVALID',
        message: '--provider "keyd": did you mean keyed? Expected one of keyed, lookup, plain',
        docs: 'docs/reference/errors.md#flag_invalid',
      },
    });
  });
});

describe('notify simulate --help', () => {
  test('names every known-bad sender', () => {
    const names = /NAME: (.*)\.$/.exec(SIMULATE_FLAGS.break.description ?? '')?.[1]?.split(', ');
    expect(names).toEqual(KNOWN_BAD_SENDERS.map(({ name }) => name));
  });

  test('reads like its page', async () => {
    const { code, stdout } = await notify(['simulate', '--help']);
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot('../pages/simulate-help.txt');
  });
});
