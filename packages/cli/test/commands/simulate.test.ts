import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { KNOWN_BAD_SENDERS } from '@sendonce/chaos';
import { SIMULATE_FLAGS } from '../../src/simulate/flags.ts';
import { simulateInThread } from '../../src/simulate/in-thread.ts';
import { notify } from '../notify.ts';

const folder = mkdtempSync(join(tmpdir(), 'notify-'));
afterAll(() => rmSync(folder, { recursive: true }));

const KEYS =
  `schema verdict mode seed recipients workers schedules input merged invalid requested once recovered resent assumed parked failed
  dead expired suppressed cancelled unsettled duplicated lost phantom kills faults violations virtualMs wallMs traceHash`.split(
    /\s+/,
  );
const ENDS = KEYS.slice(KEYS.indexOf('once'), KEYS.indexOf('phantom'));

type Json = Readonly<Record<string, unknown>>;
const json = (text: string): Json => JSON.parse(text) as Json;
const ended = (result: Json): number => ENDS.reduce((sum, end) => sum + Number(result[end]), 0);
/** The parts of a text that no run shares with another. */
const stable = (text: string): string => text.replace(/^ {2}took .*$/m, '  took');

const kill = ['simulate', '--recipients', '200', '--kill-at', '80', '--seed', 'apple'];

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

describe('notify simulate --break NAME', () => {
  const senders = KNOWN_BAD_SENDERS.map(({ name }) => name);
  test.each(senders)(
    '%s is red in its own world, with its own faults',
    async (name) => {
      const { code, stdout } = await notify(['simulate', '--break', name, '--seed', 'apple', '--json']);
      expect([1, 3]).toContain(code);
      const result = json(stdout);
      expect(result).toMatchObject({ verdict: 'violation', recipients: 20 });
      expect(Number(result['duplicated']) + Number(result['lost']) + Number(result['phantom'])).toBeGreaterThan(0);
    },
    60_000,
  );
});

describe('notify simulate --break', () => {
  const broken = ['simulate', '--break', 'key-per-attempt', '--seed', 'apple'];

  test('exits with 1 and tells the story: violation, plan, timeline, why, what to try, how to rerun', async () => {
    const { code, stdout } = await notify([...broken, '--report', join(folder, 'broken')]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^VIOLATION {2}(S\d+|END): /);
    expect(stdout).toMatch(
      /The smallest plan that shows it, a run of its own: \d+ recipients?, \d+ workers?, [12] faults?\n {2}1\. /,
    );
    expect(stdout).toMatch(/\ntime .*\bw\d.*\bp\d/);
    for (const name of ['why', 'try', 'rerun', 'again']) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  });

  test('writes what --report promises, and the plan in it breaks again', async () => {
    const files = readdirSync(join(folder, 'broken')).sort();
    const plan = files.find((file) => file.endsWith('.plan.json')) ?? '';
    expect(files).toEqual([plan, 'events.ndjson', 'junit.xml', 'not-sent.ndjson', 'summary.json'].sort());
    const summary = json(readFileSync(join(folder, 'broken', 'summary.json'), 'utf8'));
    expect(summary).toMatchObject({ schema: 'sendonce.simulate/1', verdict: 'violation' });
    expect(summary['violations']).toContainEqual(expect.objectContaining({ plan: join(folder, 'broken', plan) }));
    expect(readFileSync(join(folder, 'broken', 'junit.xml'), 'utf8')).toContain('<failure ');
    const events = readFileSync(join(folder, 'broken', 'events.ndjson'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(events.map((line) => json(line)).some(({ kind }) => kind === 'provider')).toBe(true);
    const again = await notify(['simulate', '--replay', join(folder, 'broken', plan), '--json']);
    expect(again.code).toBe(1);
    expect(json(again.stdout)['violations']).toContainEqual(
      expect.objectContaining({ invariant: plan.replace('.plan.json', '') }),
    );
  });

  test('says so to GitHub Actions: an error line per invariant, and a step summary', async () => {
    const summary = join(folder, 'summary.md');
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
    const [text, machine] = await Promise.all([
      notify(broken, { env }),
      notify([...broken, '--json'], { env: { GITHUB_ACTIONS: 'true' } }),
    ]);
    expect(text.stdout).toMatch(/^::error title=notify simulate%3A (S\d+|END)%2C .*::/m);
    expect(readFileSync(summary, 'utf8')).toContain('### notify simulate: violation');
    expect(json(machine.stdout)).toMatchObject({ verdict: 'violation' });
    expect(machine.stderr).toMatch(/^::error /m);
  });
});

describe('notify simulate with a list and a config of one’s own', () => {
  const list = 'examples/data/recipients.csv';

  test('reaches everybody on the list once, and lists the rows that are no address', async () => {
    const { code, stdout } = await notify([
      'simulate',
      '--recipients-file',
      list,
      '--kill-at',
      '800',
      '--seed',
      'apple',
      '--report',
      join(folder, 'list'),
      '--json',
    ]);
    expect(code).toBe(0);
    expect(json(stdout)).toMatchObject({
      recipients: 1955,
      input: 2000,
      merged: 30,
      invalid: 15,
      requested: 1955,
      duplicated: 0,
      lost: 0,
    });
    const listed = readFileSync(join(folder, 'list', 'not-sent.ndjson'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(listed.filter((line) => json(line)['kind'] === 'invalid')).toHaveLength(15);
  });

  test('runs the types of a config, and never calls its providers', async () => {
    const { code, stdout, stderr } = await notify([
      'simulate',
      '--config',
      'examples/simulate-config/notify.config.ts',
      '--recipients',
      '60',
      '--schedules',
      '5',
      '--seed',
      'apple',
    ]);
    // On a busy machine it is told how far it is.
    expect({ code, stderr: stderr.replaceAll(/^\d+ of \d+ schedule.*\n/gm, '') }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('email: mail (key for 24 h), spare (no key, no lookup); sms: text (no key, no lookup)');
  });

  test('loses nobody of a config to a kill, a list included', async () => {
    const own = ['--config', 'examples/simulate-config/notify.config.ts', '--recipients-file', list];
    const { code, stdout } = await notify(['simulate', ...own, '--kill-at', '800', '--seed', 'apple', '--json']);
    expect(code).toBe(0);
    const result = json(stdout);
    expect(result).toMatchObject({ verdict: 'pass', duplicated: 0, lost: 0, phantom: 0 });
    expect(result['input']).toBe(['requested', 'merged', 'invalid'].reduce((sum, key) => sum + Number(result[key]), 0));
  });

  test('sends a list to the types without a route, and as many examples as it is told to the others', async () => {
    const own = [
      '--config',
      'examples/simulate-config/notify.config.ts',
      '--recipients-file',
      list,
      '--recipients',
      '7',
    ];
    const one = await notify(['simulate', ...own, '--drop-acks', '0', '--seed', 'apple', '--json']);
    const two = await notify(['simulate', ...own.with(-1, '14'), '--drop-acks', '0', '--seed', 'apple', '--json']);
    expect([one.code, two.code]).toEqual([0, 0]);
    const requested = [one, two].map(({ stdout }) => Number(json(stdout)['requested']));
    expect(requested[0]).toBeGreaterThan(1955);
    expect(requested[1]).toBeGreaterThan(requested[0] ?? Infinity);
  });

  test('delivers the rest when one row is bad, and lists that row with its reason', async () => {
    const args = ['simulate', '--config', 'examples/simulate-config/one-bad-row.config.ts', '--recipients', '20'];
    const { code, stdout } = await notify([...args, '--kill-at', '5', '--seed', 'apple']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^PASS {2}37 of 38 recipients got exactly one message; all others are accounted for: 1 failed/,
    );
    expect(stdout).toContain(
      'failed  second-5@shop.example: content threw Error: a contact without a name (content of ',
    );
    expect(stdout).toMatch(/failed {2}orderPlaced o-3: .*order o-3 has no contacts/);
  });

  const impure: readonly (readonly [call: string, imported: string, code: string])[] = [
    ['Date.now', '', 'Date.now()'],
    ['new Date()', '', 'new Date()'],
    ['Math.random', '', 'Math.random()'],
    ['setTimeout', '', 'setTimeout(() => {}, 1)'],
    ['fetch', '', "fetch('http://127.0.0.1:1')"],
    ['fs.readFileSync', "import { readFileSync } from 'node:fs';", "readFileSync('/etc/hosts')"],
    ['fs.promises.readFile', "import { readFile } from 'node:fs/promises';", "readFile('/etc/hosts')"],
    ['net.connect', "import net from 'node:net';", 'net.connect(1)'],
    ['http.get', "import http from 'node:http';", "http.get('http://127.0.0.1:1')"],
    ['Date.now', '', '(() => { try { Date.now(); } catch {} })()'],
    [
      'fs.readFileSync',
      "import fs from 'node:fs';",
      "void Promise.resolve().then(() => fs.readFileSync('/etc/hosts'))",
    ],
  ];
  const places = ['route', 'content'] as const;
  test.each(places.flatMap((place) => impure.map((row) => [place, ...row] as const)))(
    'refuses in %s the call %s (%s %s), by its name',
    async (place, call, imported, code) => {
      const file = join(folder, `${place}-${impure.findIndex((row) => row[2] === code)}.config.ts`);
      const [inRoute, inContent] = place === 'route' ? [code, ''] : ['', code];
      writeFileSync(
        file,
        `${imported}
         const send = () => { throw new Error('never called'); };
         const capabilities = { idempotency: { kind: 'key', windowMs: 86400000 }, lookup: 'none', correlation: 'none', coalesce: false };
         export default {
           channels: { email: { providers: [{ name: 'mail', capabilities, send, close() {} }] } },
           notifications: { hello: {
             class: 'transactional', key: (data) => String(data.i), sample: (i) => ({ i }),
             route: (data) => { ${inRoute}; return [{ channel: 'email', to: \`a\${data.i}@x.org\` }]; },
             content: () => { ${inContent}; return { subject: 'x' }; },
           } },
         };`,
      );
      // In a thread of this process, as the command has it: what the command makes of it is seen in user-code.test.ts.
      const result = await simulateInThread({
        // A seed of its own choice could draw the fault that nobody publishes, and then nothing is refused.
        flags: { config: file, recipients: '5', 'kill-at': ['1'], seed: 'apple' },
        terminal: { colors: false, watched: false },
        entry: new URL('../../dist/threads/simulate.js', import.meta.url),
      });
      const text = new RegExp(`^Error DETERMINISM_VIOLATION: ${call.replace(/[.()]/g, '\\$&')} was called`);
      expect(result).toMatchObject({ exitCode: 5, text: expect.stringMatching(text) });
    },
  );

  test('refuses I/O in an address that a route makes', async () => {
    const file = join(folder, 'impure.config.mjs');
    writeFileSync(
      file,
      `const send = () => { throw new Error('never called'); };
       const capabilities = { idempotency: { kind: 'key', windowMs: 86400000 }, lookup: 'none', correlation: 'none', coalesce: false };
       export default {
         channels: { email: { providers: [{ name: 'mail', capabilities, send, close() {} }] } },
         notifications: { hello: {
           class: 'transactional', key: (data) => String(data.i), sample: (i) => ({ i }),
           route: (data) => [{ channel: 'email', to: \`a\${data.i}-\${Date.now()}@x.org\` }],
           content: () => ({ subject: 'x' }),
         } },
       };`,
    );
    const { code, stderr } = await notify(['simulate', '--config', file, '--recipients', '5', '--schedules', '1']);
    expect(code).toBe(5);
    expect(stderr).toMatch(/^Error DETERMINISM_VIOLATION: Date\.now /);
  });
});

describe('notify simulate --self-test', () => {
  test('catches every known-bad sender', async () => {
    const { code, stdout } = await notify(['simulate', '--self-test', '--seed', 'apple', '--json']);
    const result = json(stdout) as unknown as {
      verdict: string;
      senders: readonly { sender: string; caught: boolean }[];
    };
    expect(result.senders.filter(({ caught }) => !caught)).toEqual([]);
    expect({ code, verdict: result.verdict }).toEqual({ code: 0, verdict: 'pass' });
  }, 120_000);
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
