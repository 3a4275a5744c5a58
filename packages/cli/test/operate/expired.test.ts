import { dirname } from 'node:path';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { createNotifier, type Ledger } from '@sendonce/core';
import { memoryProvider } from '@sendonce/core/memory';
import { systemClock as clock } from '@sendonce/core/system';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runList } from '../../src/operate/dlq/run-list.ts';
import { runReplay } from '../../src/operate/replay/run-replay.ts';
import type { StatusReport } from '../../src/operate/status/report.ts';
import { runStatus } from '../../src/operate/status/run-status.ts';
import { runWhy } from '../../src/operate/why/run-why.ts';
import { here } from './support/here.ts';
import { configText, ledgerFolder } from './support/ledger-folder.ts';
import { DOWN, people } from './support/shop.ts';

const HOUR = 3_600_000;
const folder = ledgerFolder();
const file = `${folder.file}.expired`;
const config = folder.write('expired.config.ts', configText(`sqliteLedger({ file: ${JSON.stringify(file)} })`));
let agoMs = 0;
const ledger = sqliteLedger({ file, synchronous: 'normal', now: () => Date.now() - agoMs });
afterAll(() => ledger.close());

/** Made under a config of long ago, which had what today's does not have any more. */
async function publish(type: string, provider: string, count: number, expiresInMs: number): Promise<void> {
  const { publish, worker, close } = createNotifier({
    // It is closed with its own notifier, and this one goes on.
    ledger: { ...ledger, close: async () => undefined },
    channels: { email: { providers: [memoryProvider({ clock, name: provider, model: 'plain' })] } },
    notifications: { [type]: { class: 'transactional', expiresInMs, content: () => ({ subject: 'x' }) } },
    worker: { pollMs: 5, stages: ['decide'] },
  });
  await publish(
    type,
    {},
    { key: `${type} ${provider} ${expiresInMs}`, recipients: people(`${type}-${provider}`, count) },
  );
  const stop = new AbortController();
  const running = worker().run({ signal: stop.signal });
  while ((await ledger.count()).notifications.expanded === (await expanded)) await clock.sleep(5);
  expanded = ledger.count().then(({ notifications }) => notifications.expanded);
  stop.abort();
  await running;
  await close();
}
let expanded: Promise<number> = Promise.resolve(0);

/** What workers do with what their config lacks. */
async function putBack(to: Ledger): Promise<void> {
  const claims = await to.claim({ due: 100, lateMs: 0 }, { owner: 'w', requestId: `${Math.random()}`, leaseMs: 1_000 });
  const held = claims.flatMap((each) => (each.kind === 'granted' ? [{ id: each.id, fence: each.fence }] : []));
  await to.release(held.map((each) => ({ ...each, delayMs: 1, failure: null })));
}

const status = () => here(() => runStatus({ config }));
const list = (state?: string, reason?: string) => here(() => runList({ config, state, reason }, 'npx notify dlq list'));

describe('work that no config knows any more', () => {
  beforeAll(async () => {
    agoMs = 2 * HOUR;
    await publish('otp', 'first', 3, HOUR);
    await publish('news', 'renamed', 2, HOUR);
    await publish('news', 'renamed', 4, 240 * HOUR);
    await publish('news', 'first', 1, HOUR);
  });

  test('needs a person while it waits, with what it waits for and until when', async () => {
    const { stdout } = await status();
    expect(stdout).toContain(
      "! 6 deliveries wait, and no worker can send them: provider 'renamed' of channel email is not in this config\n",
    );
    expect(stdout).toContain("! 3 deliveries wait, and no worker can send them: type 'otp' is not in this config\n");
    expect(stdout).toMatch(/give it back to the config and restart the workers: .*; the first expires at 2\S+Z\n/);
  });

  test('needs a person when it expired without ever having been tried, with type, provider and why', async () => {
    agoMs = 0;
    await putBack(ledger);
    const { stdout } = await status();
    expect(stdout).toMatch(
      /! 6 deliveries expired unsent in the last 7 d: publish again.*\n +npx notify dlq list --state expired --config \S+\n/,
    );
    expect(stdout).toMatch(/expired {3}3 {2}otp by first: type 'otp' is not in this config\n/);
    expect(stdout).toMatch(/ 2 {2}news by renamed: provider 'renamed' of channel email is not in this config\n/);
    expect(stdout).toMatch(/ 1 {2}news by first: no worker tried it in time\n/);
    const report = JSON.parse((await here(() => runStatus({ config, json: true }))).stdout) as StatusReport;
    expect(report).toMatchObject({ expired: { count: 6, dead: 0, isComplete: true } });
    expect(report.lacking.reasons).toEqual([
      { name: "provider 'renamed' of channel email is not in this config", count: 4 },
    ]);
  });

  test('is silent again after a week', async () => {
    const ago = Date.now;
    Date.now = () => ago() + 169 * HOUR;
    try {
      expect((await status()).stdout).not.toContain('expired unsent');
    } finally {
      Date.now = ago;
    }
  });

  test('is listed by its state and its own reason, and not among what can be sent again', async () => {
    const all = await list();
    const expired = await list('expired');
    const byReason = await list('expired', "type 'otp'");
    expect(all.stdout).toContain('No dead letter fits.');
    expect(all.stderr).toContain(
      'Not listed: 6 deliveries of this ledger that expired unsent: npx notify dlq list --state expired',
    );
    expect([...expired.stdout.matchAll(/^d_\S+ +expired /gm)]).toHaveLength(6);
    expect([...byReason.stdout.matchAll(/^d_\S+.*type 'otp' is not in this config$/gm)]).toHaveLength(3);
  });

  test('is left out of a replay, which says so, and refused when it is named', async () => {
    const replay = (ids: readonly string[]) => here(() => runReplay({ flags: { config, yes: true }, ids, again: '' }));
    const unnamed = await replay([]);
    expect(unnamed.code).toBe(0);
    expect(unnamed.stdout).toMatch(
      /^Nothing to send again\.\n {2}left out {2}6 expired: not sent, and too late now: publish it again/,
    );
    const [id = ''] = /d_\S+/.exec((await list('expired')).stdout) ?? [];
    const named = await replay([id]);
    expect(named.code).toBe(4);
    expect(named.stdout).toContain('refused   1  it is expired');
    const { stdout } = await here(() => runWhy(id, { config }));
    expect(stdout).toMatch(/next +nothing: it was not sent, and its time is over\. Publish it again under another key/);
  });

  test.each([
    ['by an hour, which the ledger goes on over', HOUR, false],
    ['by two hours, so that what waits stands', 2 * HOUR, true],
  ])(
    'and a clock that was set back %s needs a person only where nothing goes on by itself',
    async (_what, back, isTold) => {
      const real = Date.now;
      Date.now = () => real() - back;
      try {
        const { stdout } = await status();
        expect(/! the clock here is (2 h|1 h 59 min) behind what is in the ledger/.test(stdout)).toBe(isTold);
      } finally {
        Date.now = real;
      }
    },
  );

  test('is told with commands that can be typed, whatever the config is called', async () => {
    const name = '-an odd one.config.ts';
    folder.write(name, configText(`sqliteLedger({ file: ${JSON.stringify(file)} })`));
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(dirname(file));
    const { stdout } = await here(() => runStatus({ config: name })).finally(() => cwd.mockRestore());
    expect(stdout).toContain("npx notify dlq list --state expired --config='-an odd one.config.ts'\n");
  });

  test('tells by `why` what it waits for', async () => {
    const { items } = await ledger.list({ states: ['queued'] });
    const { stdout } = await here(() => runWhy(items[0]?.id ?? '', { config }));
    expect(stdout).toMatch(
      /nothing by itself: provider 'renamed' of channel email is not in this config\. Give it back/,
    );
  });
});

test('a replay of what needs a provider or a type that the config lacks says so before it asks', async () => {
  const gone = sqliteLedger({ file: `${folder.file}.gone`, synchronous: 'normal' });
  const text = `sqliteLedger({ file: ${JSON.stringify(`${folder.file}.gone`)} })`;
  const goneConfig = folder.write('gone.config.ts', configText(text));
  const notifier = createNotifier({
    ledger: gone,
    channels: { email: { providers: [memoryProvider({ clock, name: 'gone', model: 'plain', answer: () => DOWN })] } },
    notifications: { otp: { class: 'transactional', maxAttempts: 1, content: () => ({ subject: 'x' }) } },
    worker: { pollMs: 5 },
  });
  await notifier.publish('otp', {}, { key: 'k', recipients: people('reader', 2) });
  const stop = new AbortController();
  const running = notifier.worker().run({ signal: stop.signal });
  while ((await gone.count()).deliveries.dead < 2) await clock.sleep(5);
  stop.abort();
  await running;
  await notifier.close();
  const { stdout } = await here(() =>
    runReplay({ flags: { config: goneConfig, 'dry-run': true }, ids: [], again: '' }),
  );
  expect(stdout).toMatch(/careful {3}2 need provider 'gone', which is not in this config: no worker sends them before/);
  expect(stdout).toMatch(/ {12}2 need type 'otp', which is not in this config/);
  const { stdout: look } = await here(() => runStatus({ config: goneConfig }));
  expect(look).toMatch(/! 2 dead letters are known not sent: attempts spent; the first expires at 2\S+Z\n/);
});
