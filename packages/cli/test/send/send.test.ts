import { describe, expect, test } from 'vitest';
import { notify } from '../notify.ts';
import { running } from '../support/running.ts';
import { linesOf, sendConfig, sendFolder } from './support.ts';

const made = sendFolder();
const { ledger, notifications } = made;
const config = (): string[] => ['--config', sendConfig(made)];
const run = (...args: readonly string[]) => notify(['send', ...args, ...config()]);
const row = (i: number | string): string => JSON.stringify({ id: `${i}`, email: `a${i}@example.org` });

describe('notify send with rows', () => {
  test('accepts each good row, tells each bad one by its line and reason, and exits with 4', async () => {
    const rows: readonly (readonly [text: string, result: string, reason?: RegExp])[] = [
      [row(1), 'accepted'],
      ['{"id":', 'failed', /^is not JSON$/],
      ['[1]', 'failed', /^is not a JSON object/],
      ['{"id":"2"}', 'failed', /does not fit its schema: email: no email/],
      ['{"id":"throws","email":"b@example.org"}', 'failed', /key threw/],
      ['{"id":"","email":"b@example.org"}', 'failed', /needs a key/],
      [row(1).replace('a1@', 'other@'), 'conflict', /was accepted at .* with another body/],
      [`{"id":"x","email":"j\ufffdrg@example.org"}`, 'failed', /bytes that are not UTF-8/],
      [`{"id":"${'x'.repeat(1_000_001)}"}`, 'failed', /is longer than 1,000,000 characters/],
      ['{"id":"1","id":"2","email":"b@example.org"}', 'failed', /has the name "id" twice/],
      [row(1), 'repeated'],
      [row(3), 'accepted'],
    ];
    const file = made.write('orders.ndjson', rows.map(([text]) => text).join('\n\n'));
    const { code, stdout, stderr } = await run('order', '--data', file, '--json');
    expect(code).toBe(4);
    const lines = linesOf(stdout);
    expect(lines.map(({ result, line, file: name }) => [result, line, name])).toEqual(
      rows.map(([, result], at) => [result, 2 * at + 1, 'orders.ndjson']),
    );
    rows.forEach(([, , reason], at) => reason && expect(lines[at]?.error?.message).toMatch(reason));
    const [first, , , , , , conflict] = lines;
    expect(conflict).toMatchObject({ id: first?.id, key: '1' });
    expect(stderr).toMatch(/^orders\.ndjson:3: DATA_INVALID: is not JSON$/m);
    expect(stderr).toMatch(/^2 accepted, 1 repeated, 9 rows refused\.$/m);
    expect((await notifications('order')).map(({ key }) => key)).toEqual(['1', '3']);

    const again = await run('order', '--data', file);
    expect(again.stdout).toBe([0, 10, 11].map((at) => `${lines[at]?.id}\n`).join(''));
    expect(again.stderr).toMatch(/^3 repeated, 9 rows refused\.$/m);
    expect(await notifications('order')).toHaveLength(2);
  });

  test('reads CSV, whose broken rows cost themselves alone, and takes the key from a column', async () => {
    const file = made.write(
      'plain.csv',
      [
        'Id;email;note',
        'p1;a@example.org;"two\nlines, and a ; in it"',
        'p2;b@example.org',
        'p3;"open;c@example.org;',
        'p4;d@example.org;',
        ';e@example.org;',
        'p6;f@example.org;"closed" badly',
        'p7;g@example.org;fine',
      ].join('\r\n'),
    );
    const { code, stdout } = await run('plain', '--data', file, '--key-column', 'Id', '--json');
    expect(code).toBe(4);
    expect(linesOf(stdout).map(({ line, key, error }) => [line, key ?? error?.code, error?.message])).toEqual([
      [2, 'p1', undefined],
      [4, 'DATA_INVALID', 'has 2 fields where the header has 3'],
      [5, 'DATA_INVALID', expect.stringMatching(/quote is out of place/)],
      [6, 'p4', undefined],
      [7, 'KEY_MISSING', "it has no key: there is no 'Id'"],
      [8, 'DATA_INVALID', expect.stringMatching(/quote is out of place/)],
      [9, 'p7', undefined],
    ]);
    const [p1, p4] = await notifications('plain');
    expect(p1?.data).toEqual({ Id: 'p1', email: 'a@example.org', note: 'two\nlines, and a ; in it' });
    expect(p4?.data).toEqual({ Id: 'p4', email: 'd@example.org' });
  });

  test('accepts a row of stdin as it comes in, and a kill half-way and the same again make everything once', async () => {
    const args = ['send', 'plain', '--data', '-', '--tenant', 'stdin', ...config()];
    const rows = Array.from({ length: 800 }, (_, i) => `{"key":${i},"email":"s${i}@example.org"}\n`);
    const killed = running(args);
    killed.write(rows[0]!);
    await killed.line(/^n_\S+\n/);
    killed.write(rows.slice(1).join(''));
    await killed.line(/(?:n_\S+\n){150}/);
    killed.kill('SIGKILL');
    await killed.ended;
    const before = (await notifications('plain')).filter(({ tenant }) => tenant === 'stdin').length;
    expect(before).toBeGreaterThanOrEqual(150);
    expect(before).toBeLessThan(800);

    const again = running(args);
    again.write(rows.join(''));
    again.endInput();
    const { code, stdout, stderr } = await again.ended;
    expect(code).toBe(0);
    expect(new Set(stdout.trim().split('\n')).size).toBe(800);
    expect(stderr).toContain(`${800 - before} accepted, ${before} repeated.`);
    const keys = (await notifications('plain'))
      .filter(({ tenant }) => tenant === 'stdin')
      .map(({ key }) => Number(key));
    expect(keys).toEqual(rows.map((_, i) => i));
  });

  test('stops at a signal although stdin never ends, and says that it can be run again', async () => {
    const sending = running(['send', 'plain', '--data', '-', ...config()]);
    sending.write('{"key":"waits","email":"w@example.org"}\n');
    await sending.line(/^n_\S+\n/);
    sending.kill('SIGTERM');
    const { code, stderr } = await sending.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('Interrupted: 1 accepted. Run the same command again');
  });
});

test('notify send holds a few rows at a time, however many there are', async () => {
  const long = `{"key":"same","email":"m@example.org","pad":"${'x'.repeat(100_000)}"}\n`;
  const file = made.write('long.ndjson', long.repeat(500));
  const env = { NODE_OPTIONS: '--max-old-space-size=48' };
  const { code, stderr } = await notify(['send', 'plain', '--data', file, ...config()], { env });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('1 accepted, 499 repeated.') });
});

describe('notify send with a list of recipients', () => {
  const people = (n: number, more = ''): string =>
    `to,name\n${Array.from({ length: n }, (_, i) => `p${i}@example.org,P${i}\n`).join('')}${more}`;
  const news = (file: string, key: string, ...more: readonly string[]) =>
    run('news', '--data-json', '{"issue":7}', '--key', key, '--recipients-file', file, ...more);

  test('leaves bad rows out by their line, and repeats for the same list only', async () => {
    const file = made.write('people.csv', people(3, 'nobody\n'));
    const first = await news(file, 'news-7', '--json');
    expect(first.code).toBe(4);
    const [bad, accepted] = linesOf(first.stdout);
    expect(bad).toMatchObject({ result: 'failed', file: 'people.csv', line: 5, error: { code: 'DATA_INVALID' } });
    expect(accepted).toMatchObject({ result: 'accepted', key: 'news-7', file: null, line: null });
    expect(await notifications('news')).toMatchObject([{ key: 'news-7', targets: 3, sealed: true }]);

    made.write('people.csv', people(3));
    expect(await news(file, 'news-7')).toMatchObject({ code: 0, stdout: `${accepted?.id}\n` });
    for (const other of [people(4), people(2), people(3).replace('p1@', 'q1@'), people(3).replace('P1', 'Q1')]) {
      made.write('people.csv', other);
      const { code, stdout } = await news(file, 'news-7', '--json');
      expect({ code, lines: linesOf(stdout) }).toMatchObject({
        code: 4,
        lines: [{ result: 'conflict', id: accepted?.id, error: { code: 'NOTIFICATION_CONFLICT' } }],
      });
    }
    expect(await notifications('news')).toHaveLength(1);
  });

  test('begins again after a kill in the middle of a long list, and stores everybody once', async () => {
    const file = made.write('many.csv', people(10_000));
    const args = ['send', 'news', '--key', 'many', '--recipients-file', file, ...config()];
    const killed = running(args);
    while ((await ledger.count()).unsealed === 0) await ledger.count();
    killed.kill('SIGKILL');
    await killed.ended;
    expect((await ledger.count()).unsealed).toBe(1);
    expect(await notify(args)).toMatchObject({ code: 0 });
    const found = (await notifications('news')).find(({ key }) => key === 'many');
    expect(found).toMatchObject({ targets: 10_000, sealed: true });
    expect((await ledger.count()).unsealed).toBe(0);
  });
});

describe('notify send refuses', () => {
  const memory = (): string =>
    made.write(
      'memory.config.ts',
      `const ledger = { capabilities: { shared: false, durable: false, transactions: false } };
for (const name of ['accept','seal','claimNotifications','add','claim','renew','mark','settle','release','record','cancel','suppress','block','sweep','reconcile','replay','forget','find','findNotifications','list','listNotifications','count','history','close']) ledger[name] = async () => [];
const provider = { name: 'first', capabilities: { idempotency: { kind: 'none' }, lookup: 'none', correlation: 'none', coalesce: false }, send() {}, async close() {} };
export default { ledger, channels: { email: { providers: [provider] } }, notifications: { order: { class: 'transactional', route: () => [], content: () => ({}) } } };
`,
    );

  test('what it cannot use at all, with 2 and a code, before anything is accepted', async () => {
    const before = (await ledger.count()).notifications;
    const cases: readonly (readonly [code: string, words: RegExp, args: () => string[]])[] = [
      [
        'TYPE_UNKNOWN',
        /'ordre' is not a notification type.*Did you mean 'order'/,
        () => ['ordre', '--data-json', '{}'],
      ],
      ['RECIPIENTS_MISSING', /--recipients-file/, () => ['news', '--data-json', '{}', '--key', 'k']],
      ['FLAG_INVALID', /no such file/, () => ['order', '--data', 'nowhere.csv']],
      ['RECIPIENTS_FILE_INVALID', /no such file/, () => ['news', '--key', 'k', '--recipients-file', 'nowhere.csv']],
      ['CONFIG_INVALID', /memory of one process/, () => ['order', '--data-json', '{}', '--config', memory()]],
      [
        'CONFIG_INVALID',
        /bad\.config\.ts: worker\.chunk must be .*, got 0, at .*bad\.config\.ts:20:13/,
        () => ['order', '--data-json', '{}', '--config', sendConfig(made, 'bad.config.ts', '{ chunk: 0 }')],
      ],
    ];
    const results = await Promise.all(
      cases.map(async ([, , args]) => {
        const given = args();
        return notify(['send', ...given, '--json', ...(given.includes('--config') ? [] : config())]);
      }),
    );
    results.forEach(({ code, stdout, stderr }, at) => {
      const [expected, words] = cases[at]!;
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(words) });
      expect(stdout.trim().split('\n')).toHaveLength(1);
      expect(JSON.parse(stdout)).toMatchObject({ schema: 'sendonce.error/1', error: { code: expected } });
    });
    expect((await ledger.count()).notifications).toEqual(before);
  });
});
