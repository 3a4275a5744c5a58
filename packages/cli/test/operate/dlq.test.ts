import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatusReport } from '../../src/operate/status/report.ts';
import { runList } from '../../src/operate/dlq/run-list.ts';
import type { ListFlags } from '../../src/operate/flags.ts';
import { runShow } from '../../src/operate/dlq/run-show.ts';
import { runStatus } from '../../src/operate/status/run-status.ts';
import { runWhy } from '../../src/operate/why/run-why.ts';
import { here } from './support/here.ts';
import { ledgerFolder } from './support/ledger-folder.ts';
import { keysOf, page, rowsBelow } from './support/page.ts';
import { all, DOWN, LOST, people, REFUSES, shop } from './support/shop.ts';

const { file, run, config } = ledgerFolder();
const list = (flags: ListFlags) => here(() => runList({ config, ...flags }, 'npx notify dlq list'));
const show = (id: string, json = false) => here(() => runShow(id, { config, json }));
const why = (id: string, json = false) => here(() => runWhy(id, { config, json }));
const ledger = sqliteLedger({ file, synchronous: 'normal' });
afterAll(() => ledger.close());
const idOf = async (prefix: string): Promise<string> =>
  (await all(ledger)).find(({ target }) => target.to.startsWith(prefix))?.id ?? '';

beforeAll(async () => {
  const { notifier, work } = shop(ledger, (to) => {
    if (to.startsWith('refused')) return REFUSES;
    return to.startsWith('lost') ? LOST : DOWN;
  });
  await notifier.publish('news', {}, { key: 'a', recipients: people('reader', 5) });
  await notifier.publish('news', {}, { key: 'b', recipients: [...people('lost', 1), ...people('refused', 1)] });
  await work();
  const [first] = await all(ledger);
  await notifier.replay([first!.id], { by: 'ops', why: 'a try' });
});

describe('notify status', () => {
  test('says what needs a person and which command comes next', async () => {
    const { code, stdout } = await run(['status']);
    expect(code).toBe(0);
    expect(stdout).toContain('LOOK  3 things need a person');
    expect(stdout).toMatch(/settled {3}1 parked, 1 failed, 4 dead\n {2}active {4}1 queued/);
    expect(stdout).toMatch(/4 dead letters are known not sent.*\n.* npx notify replay-dlq --config \S+\n/);
    expect(stdout).toMatch(/1 message is parked.*\n.*npx notify dlq list --state parked/);
    expect(stdout).toContain('replayed  1 that were dead, failed or parked: it was sent again as another\n');
  });

  test('is one object under --json', async () => {
    const { code, stdout } = await here(() => runStatus({ config, json: true }));
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as StatusReport;
    expect(report).toMatchObject({
      schema: 'sendonce.status/1',
      deliveries: { dead: 5, failed: 1, parked: 1, queued: 1 },
      deadLetters: { dead: 4, failed: 1, parked: 1, replayed: 1, tooLate: 0, isComplete: true },
      blocked: [],
      failedNotifications: [],
    });
    expect(report.deadLetters.reasons[0]).toEqual({ name: 'attempts spent (1): connection refused', count: 4 });
    expect(report.attention).toHaveLength(3);
    const leaves =
      /^(deliveries|notifications|deadLetters\.(reasons|ages)|expired\.kinds|lacking\.reasons|waiting\.reasons|putBack|failedNotifications|blocked)$/;
    expect(keysOf(report, leaves).sort()).toEqual(rowsBelow(page('reference/status'), '## The JSON object').sort());
  });
});

describe('notify dlq list', () => {
  test('shows those that nobody has sent again, page by page, each once', async () => {
    const ids: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 9; pages += 1) {
      const { stdout, stderr } = await list({ limit: '2', cursor });
      ids.push(...[...stdout.matchAll(/^d_\S+/gm)].map(([id]) => id));
      expect(stdout).not.toContain('reader-1@');
      expect(stdout).toMatch(/^d_\S+.*@example\.org {2}(a|b) {4}first/m);
      cursor = /^More: npx notify dlq list --cursor '(.*)'/m.exec(stderr)?.[1];
      if (cursor === undefined) break;
    }
    const open = (await all(ledger)).filter((each) => each.settledAt !== null && each.replacedBy === null);
    expect(ids).toEqual(open.map(({ id }) => id));
  });

  test('is one object a line under --json, with addresses only when they are asked for', async () => {
    const [masked, shown] = await Promise.all([
      run(['dlq', 'list', '--json', '--reason', 'connection', '--replayed']),
      run(['dlq', 'list', '--json', '--state', 'failed', '--show-addresses']),
    ]);
    const rows = masked.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toHaveLength(6);
    expect(new Set(rows.map(({ to, recipientId }) => `${to} ${recipientId}`))).toEqual(
      new Set(['r…@example.org r…@example.org', 'l…@example.org l…@example.org']),
    );
    expect(JSON.parse(shown.stdout)).toMatchObject({
      schema: 'sendonce.dead-letter/1',
      to: 'refused-0@example.org',
      key: 'b',
      reason: 'no template for ann@example.org',
    });
  });
});

describe('notify dlq show', () => {
  test('shows attempts, the subject, and what replaying would mean', async () => {
    const parked = await show(await idOf('lost'));
    const failed = await show(await idOf('refused'), true);
    expect(parked.stdout).toContain('first: unknown whether it was sent: connection reset');
    expect(parked.stdout).toContain('subject   News for a…@example.org');
    expect(parked.stdout).toMatch(
      /replaying may have been sent already.*\n +npx notify replay-dlq d_\S+ --include parked/,
    );
    expect(JSON.parse(failed.stdout)).toMatchObject({
      schema: 'sendonce.delivery/1',
      attempts: [
        { n: 1, provider: 'first', outcome: 'rejected', words: 'refused: no template for a…@example.org (T404)' },
      ],
      replay: { kind: 'chosen', possibleDuplicate: false },
    });
  });

  test('knows an id that is not there', async () => {
    await expect(show('d_nowhere')).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' });
    const { code, stderr } = await run(['dlq', 'show', 'd_nowhere']);
    expect(code).toBe(2);
    expect(stderr).toContain('DELIVERY_NOT_FOUND: no delivery "d_nowhere"');
  });
});

describe('notify why', () => {
  test('tells a replayed delivery, its notification and its recipient', async () => {
    const [first] = await all(ledger);
    const old = await run(['why', first!.id]);
    const next = await why(first!.replacedBy!, true);
    const notification = await why(first!.notificationId);
    const recipient = await why('recipient:Reader-0@Example.org');
    expect(old.stdout).toMatch(/made by fan-out, for r…@example.org on email\n/);
    expect(old.stdout).toMatch(/attempt 1 at first: not sent: connection refused\n.*gave up: attempts spent \(1\)/);
    expect(old.stdout).toMatch(/sent again as d_\S+ by ops: "a try"\n/);
    expect(JSON.parse(next.stdout)).toMatchObject({
      schema: 'sendonce.why/1',
      kind: 'delivery',
      state: 'queued',
      story: [{ text: `made again by ops in the place of ${first!.id}, for r…@example.org on email: "a try"` }],
      next: { text: expect.stringMatching(/^the next free worker tries it, by first; it has been due since /) },
    });
    expect(notification.stdout).toMatch(/states {4}4 {2}dead\n +1 {2}dead, sent again\n +1 {2}queued/);
    expect(recipient.stdout).toContain('RECIPIENT  r…@example.org');
    expect([...recipient.stdout.matchAll(/^ {2}d_/gm)]).toHaveLength(2);
    expect(recipient.stdout).toMatch(/^ {2}One of them: npx notify why d_[\w-]{22} --config /m);
  });
});

describe('notify why of a key', () => {
  const publish = (type: 'news' | 'brief', key: string, tenant: string) =>
    shop(ledger, () => DOWN).notifier.publish(type, {}, { key, tenant, recipients: people(`${type}-${tenant}`, 1) });
  const ask = (id: string, tenant?: string) => here(() => runWhy(id, { config, tenant }));
  beforeAll(async () => {
    await publish('news', 'once', 'acme');
    await publish('news', 'both', 'acme');
    await publish('news', 'both', 'globex');
    await publish('news', 'types', 'default');
    await publish('brief', 'types', 'default');
    await publish('news', 'common', 'default');
    await publish('news', 'common', 'acme');
  });

  test.each([
    ['finds it in whatever tenant', 'once', undefined, /^EXPANDING {2}n_\S+: news of tenant acme, key "once"/],
    [
      'says when several tenants have it',
      'both',
      undefined,
      /^KEY {2}"both" is that of 2 notifications\n\n.*tenant acme\n.*tenant globex\n/,
    ],
    [
      'says when several types have it',
      'types',
      undefined,
      /^KEY {2}"types" is that of 2 notifications\n\n.*news .*\n.*brief .*\n/,
    ],
    ['takes that of the tenant without a name first', 'common', undefined, /^EXPANDING {2}n_\S+: news, key "common"/],
    [
      'takes that of the tenant that is named',
      'common',
      'acme',
      /^EXPANDING {2}n_\S+: news of tenant acme, key "common"/,
    ],
  ])('%s', async (_what, key, tenant, words) => {
    expect((await ask(key, tenant)).stdout).toMatch(words);
  });

  test('says that there is none, and that an id needs no tenant', async () => {
    await expect(ask('common', 'initech')).rejects.toMatchObject({
      code: 'DELIVERY_NOT_FOUND',
      message: expect.stringMatching(/^"common" is no id .* no notification of tenant "initech" in this ledger/),
    });
    await expect(ask('nowhere')).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' });
    await expect(ask('o’n @example.com', 'acme')).rejects.toMatchObject({
      message: expect.stringMatching(
        /is no id .* for its key\. Where it is a recipient's address or id: npx notify why 'recipient:o’n @example\.com' --tenant acme --config \S+\. Else see/,
      ),
    });
    const { items } = await ledger.listNotifications({}, { limit: 1 });
    expect(() => runWhy(items[0]?.id ?? '', { config, tenant: 'acme' })).toThrow(
      /--tenant is for a key or a recipient/,
    );
  });
});

describe('notify why of a notification whose deliveries gave up', () => {
  beforeAll(async () => {
    const { notifier, work } = shop(ledger, () => REFUSES);
    await notifier.publish('brief', {}, { key: 'c', recipients: people('refused', 1) });
    await work();
  });
  const single = /\n {2}next {6}nothing by itself; what to do about it:\n +npx notify why (d_[\w-]{22}) --config /;
  const several =
    /\n {2}next {6}nothing by itself; each dead letter has its own, the first:\n +npx notify why (d_[\w-]{22}) /;
  test.each([
    ['one', 'c', /^DONE, 1 failed {2}n_\S+: brief, key "c"\n/, single],
    ['several', 'b', /^DONE, 1 (?:failed, 1 parked|parked, 1 failed) {2}n_\S+: news, key "b"\n/, several],
  ])('says so first, and names the next command whole: %s', async (_what, key, title, next) => {
    const { stdout } = await why(key);
    expect(stdout).toMatch(title);
    expect(stdout).toMatch(next);
    const id = next.exec(stdout)?.[1] ?? '';
    expect((await why(id)).stdout).toMatch(new RegExp(`^(FAILED|PARKED) {2}${id}: `));
    const json = JSON.parse((await why(key, true)).stdout) as { readonly state: string; readonly next: object };
    expect(json).toMatchObject({ state: 'done', next: { command: expect.stringContaining(`why ${id} --config`) } });
  });
});
