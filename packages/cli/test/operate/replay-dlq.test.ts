import type { DeliveryRecord } from '@sendonce/core';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReplayReport } from '../../src/operate/replay/report.ts';
import { notify } from '../notify.ts';
import { configText, ledgerFolder } from './support/ledger-folder.ts';
import { keysOf, page, rowsBelow } from './support/page.ts';
import { all, DOWN, LOST, people, REFUSES, shop } from './support/shop.ts';

const READERS = 240;

describe('notify replay-dlq after an outage', () => {
  const { file, run } = ledgerFolder();
  const ledger = sqliteLedger({ file, synchronous: 'normal' });
  afterAll(() => ledger.close());
  let before: readonly DeliveryRecord[];
  const replacing = async (): Promise<readonly DeliveryRecord[]> =>
    (await all(ledger)).filter(({ generation }) => generation > 0);

  beforeAll(async () => {
    // Three hours ago somebody's message died that was good for an hour.
    const ago = sqliteLedger({ file, synchronous: 'normal', now: () => Date.now() - 3 * 3_600_000 });
    const { notifier: earlier, work: workEarlier } = shop(ago, () => DOWN);
    await earlier.publish('brief', {}, { key: 'brief', recipients: people('late', 3) });
    await workEarlier();
    await earlier.close();
    const { notifier, work } = shop(ledger, (to) => {
      if (to.startsWith('refused')) return REFUSES;
      if (to.startsWith('lost')) return LOST;
      if (to.startsWith('stays')) return { reply: { kind: 'deferred', reason: 'busy', retryAfterMs: 3_600_000 } };
      return DOWN;
    });
    const publish = (key: string, recipients: ReturnType<typeof people>) =>
      notifier.publish('news', {}, { key, recipients });
    await publish('readers', people('reader', READERS));
    await publish('refused', people('refused', 2));
    await publish('lost', people('lost', 1));
    await publish('opted-out', people('leaver', 2));
    const called = await publish('called-off', [...people('gone', 1), ...people('stays', 1)]);
    await work();
    const note = { by: 'support', why: 'asked for' };
    await notifier.cancel([called.id], note);
    for (const { to } of people('leaver', 2))
      await notifier.suppress([
        { tenant: 'default', recipientId: to, topic: 'news', channel: 'email', suppressed: true, ...note },
      ]);
    before = await all(ledger);
    expect(before.filter(({ state }) => state === 'dead')).toHaveLength(READERS + 3 + 2 + 1);
  });

  test('a dry run says what would happen, and changes nothing', async () => {
    const { code, stdout, stderr } = await run(['replay-dlq', '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toContain(`PLAN  ${READERS + 2} dead letters will be sent again`);
    expect(stdout).toContain(`reason    ${READERS + 2}  attempts spent (1): connection refused`);
    expect(stdout).toMatch(
      /left out {2}2 failed: refused for good.* \(--include failed\)\n +1 parked: may have been sent/,
    );
    expect(stdout).toMatch(/refused {3}3 {2}it has expired: d_.*\n +1 {2}its notification was cancelled: d_/);
    expect(stdout).not.toContain('a config that talks');
    expect(stderr).toContain('a config that talks');
    expect(await all(ledger)).toEqual(before);
  });

  test('without a terminal and without --yes it shows the plan, exits with 2, and changes nothing', async () => {
    const { code, stdout, stderr } = await run(['replay-dlq']);
    expect(code).toBe(2);
    expect(stdout).toContain('PLAN  ');
    expect(stderr).toContain('Nothing was sent: there is no terminal to ask. Say --yes to do this');
    expect(await all(ledger)).toEqual(before);
  });

  test('killed half-way, run again, and run twice at once, each letter is replaced once', async () => {
    const killed = await run(['replay-dlq', '--yes', '--rate', '30/s', '--note', 'killed'], {
      interruptOn: /queued again/,
      signal: 'SIGKILL',
    });
    expect(killed.code).toBeNull();
    const done = (await replacing()).length;
    expect(done).toBeGreaterThanOrEqual(30);
    expect(done).toBeLessThan(READERS);

    const [a, b] = await Promise.all(
      ['one', 'two'].map(async (note) => {
        const { code, stdout } = await run(['replay-dlq', '--yes', '--json', '--note', note, '--by', 'ops']);
        return { code, report: JSON.parse(stdout) as ReplayReport };
      }),
    );
    const results = [a!.report.result!, b!.report.result!];
    for (const { code, report } of [a!, b!]) {
      expect({ code, status: report.status }).toEqual({ code: 4, status: 'refused' });
      expect(report.result?.refused.map(({ reason, count }) => [reason, count]).sort()).toEqual([
        ['it has expired', 3],
        ['its notification was cancelled', 1],
        ['the recipient opted out', 2],
      ]);
      const { replayed, elsewhere } = report.result!;
      expect(replayed + elsewhere + 2).toBe(report.plan.chosen);
    }
    expect(results[0]!.replayed + results[1]!.replayed).toBe(READERS - done);
    expect([...keysOf(a!.report, /^(filter|error|plan\.by\.\w+)$/), 'result'].sort()).toEqual(documentedKeys().sort());

    const made = await replacing();
    const readers = people('reader', READERS).map(({ to }) => to);
    expect(made.map(({ target }) => target.to).sort()).toEqual(readers.sort());
    const by = (note: string) =>
      made.filter(({ operator }) => operator?.why === note).map(({ operator }) => operator?.by);
    expect(by('killed')).toEqual(Array(done).fill('anna'));
    expect(by('one')).toEqual(Array(results[0]!.replayed).fill('ops'));
    expect(by('two')).toEqual(Array(results[1]!.replayed).fill('ops'));
    const old = await ledger.find(made.map(({ replaces }) => replaces ?? ''));
    expect(old.map((record) => record?.replacedBy)).toEqual(made.map(({ id }) => id));
  });

  test('then each of them gets one message, and another run sends none', async () => {
    const { mailbox, work } = shop(ledger, () => undefined);
    await work();
    const again = await run(['replay-dlq', '--yes']);
    await work();
    expect([...mailbox()].sort()).toEqual(
      people('reader', READERS)
        .map(({ to }) => to)
        .sort(),
    );
    expect(again.code).toBe(4);
    expect(again.stdout).toContain('DONE  0 of 2 dead letters queued again');
    expect(again.stdout).toMatch(/refused {3}3 {2}it has expired: d_/);
    expect(again.stdout).toContain('2  the recipient opted out: d_');
    expect(again.stdout).toContain(`${READERS} sent again before`);
  });

  test('failed and parked ones are sent again only when they are named, and a possible duplicate is recorded', async () => {
    const failed = await run(['replay-dlq', '--yes', '--include', 'failed', '--reason', 'T404', '--json']);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      status: 'done',
      states: ['dead', 'failed'],
      result: { replayed: 2 },
    });
    const parked = await run(['replay-dlq', '--yes', '--include', 'parked', '--reason', 'CONNECTION RESET']);
    expect(parked.code).toBe(0);
    expect(parked.stdout).toContain('careful   1 parked: may have been sent already');
    expect(parked.stdout).toContain('recorded  1 possible duplicate');
    const [made] = (await replacing()).filter(({ target }) => target.to.startsWith('lost'));
    expect(made?.declarations).toMatchObject([{ kind: 'replay-generation' }]);
  });

  test('an id that is not there, and one that is no dead letter, are refused and listed', async () => {
    const [sent] = await replacing();
    const { code, stdout } = await run(['replay-dlq', 'd_nowhere', sent!.id, '--yes', '--json']);
    const { status, plan } = JSON.parse(stdout) as ReplayReport;
    expect({ code, status }).toEqual({ code: 4, status: 'refused' });
    expect(plan.refused).toEqual([
      { reason: 'there is no such delivery or notification in this ledger', count: 1, ids: ['d_nowhere'] },
      { reason: 'it is sent; only dead, failed and parked deliveries are replayed', count: 1, ids: [sent!.id] },
    ]);
  });
});

describe('notify replay-dlq', () => {
  const { file, run, write } = ledgerFolder();
  const ledger = sqliteLedger({ file, synchronous: 'normal' });
  afterAll(() => ledger.close());
  beforeAll(async () => {
    const { notifier, work } = shop(ledger, () => DOWN);
    await notifier.publish('news', {}, { key: 'k', recipients: people('reader', 100) });
    await work();
  });

  test('interrupted, stops after the batch in flight and says how to go on', async () => {
    const { code, stdout } = await run(['replay-dlq', '--yes', '--rate', '20/s'], { interruptOn: /queued again/ });
    expect(code).toBe(130);
    const done = (await all(ledger)).filter(({ generation }) => generation > 0).length;
    expect(done).toBeLessThan(100);
    expect(stdout).toContain(`STOPPED  after the batch in flight: ${done} of 100 dead letters queued again`);
    expect(stdout).toMatch(/npx notify replay-dlq --yes --rate 20\/s --config \S+\n$/);
  });

  test('takes at most --limit', async () => {
    const before = (await all(ledger)).length;
    const { code, stdout } = await run(['replay-dlq', '--yes', '--limit', '7']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/left out.*\n.* beyond --limit/);
    expect((await all(ledger)).length).toBe(before + 7);
  });

  const broken: readonly [what: string, text: string, code: number, error: string, message: RegExp][] = [
    [
      'an option that does not exist',
      configText(`sqliteLedger({ file: 'x.db' })`, 'alert: []'),
      2,
      'CONFIG_FILE_INVALID',
      /the config has an unknown option 'alert'. Did you mean alerts/,
    ],
    [
      'an option out of bounds',
      configText(`sqliteLedger({ file: 'x.db' })`, 'worker: { leaseMs: 1 }'),
      2,
      'CONFIG_INVALID',
      /leaseMs/,
    ],
    [
      'a store that cannot be reached',
      configText(`sqliteLedger({ file: '/nowhere/at/all/x.db' })`),
      70,
      'LEDGER_UNAVAILABLE',
      /nowhere/,
    ],
  ];
  test('a config that cannot work has a code, and is one object under --json', async () => {
    const runs = broken.map(async ([what, text, ...expected]) => {
      const config = write(`${what.replaceAll(' ', '-')}.config.ts`, text);
      return { expected, result: await run(['replay-dlq', '--dry-run', '--json', '--config', config]) };
    });
    for (const { expected, result } of await Promise.all(runs)) {
      const [code, error, message] = expected;
      expect(result.code).toBe(code);
      expect(result.stderr).toMatch(message);
      expect(JSON.parse(result.stdout)).toMatchObject({ schema: 'sendonce.error/1', error: { code: error } });
    }
  });

  test.each([
    [
      ['replay-dlq', '--limt', '5'],
      'there is no flag --limt. Did you mean --limit?',
      'All flags: npx notify replay-dlq --help',
    ],
    [
      ['why'],
      'ID is missing: A delivery (d_...), a notification (n_... or its key), or',
      'All flags: npx notify why --help',
    ],
    [['dlq', 'lst'], 'Did you mean notify dlq list?', 'All commands: npx notify --help'],
    [['status', 'now'], '"now" belongs to no flag', 'All flags: npx notify status --help'],
  ])('%j exits with 2 and names its own help', async (args, message, help) => {
    const { code, stderr } = await notify(args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain(help);
  });
});

/** The keys that the page of the command explains. */
function documentedKeys(): string[] {
  const section = page('reference/replay-dlq').split('### The JSON object')[1]?.split(/^## /m)[0] ?? '';
  return rowsBelow(`## Keys\n${section}`, '## Keys');
}
