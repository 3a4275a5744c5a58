import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { createNotifier, type Ledger } from '@sendonce/core';
import { memoryProvider } from '@sendonce/core/memory';
import { systemClock as clock } from '@sendonce/core/system';
import { afterAll, describe, expect, test } from 'vitest';
import type { StatusReport } from '../../src/operate/status/report.ts';
import { runStatus } from '../../src/operate/status/run-status.ts';
import { here } from './support/here.ts';
import { configText, ledgerFolder } from './support/ledger-folder.ts';
import { DOWN, people } from './support/shop.ts';

const folder = ledgerFolder();
const open: Ledger[] = [];
afterAll(() => Promise.all(open.map((ledger) => ledger.close())));

/** A worker with a provider that is down, until the ledger is as wanted; answers the config of that ledger. */
async function worked(
  name: string,
  channel: 'email' | 'webhook',
  isThere: (ledger: Ledger) => Promise<boolean>,
): Promise<string> {
  const file = `${folder.file}.${name}`;
  const ledger = sqliteLedger({ file, synchronous: 'normal' });
  open.push(ledger);
  const notifier = createNotifier({
    ledger,
    channels: { email: { providers: [memoryProvider({ clock, name: 'first', model: 'plain', answer: () => DOWN })] } },
    notifications: {
      news: {
        class: 'transactional',
        route: () => people('reader', 3).map(({ to }) => ({ channel, to })),
        content: () => ({ subject: 'x' }),
        retry: { baseMs: 600_000, factor: 1, maxMs: 600_000 },
      },
    },
    worker: { pollMs: 5 },
  });
  await notifier.publish('news', {}, { key: 'k' });
  const stop = new AbortController();
  const running = notifier.worker().run({ signal: stop.signal });
  while (!(await isThere(ledger))) await clock.sleep(10);
  stop.abort();
  await running;
  return folder.write(`${name}.config.ts`, configText(`sqliteLedger({ file: ${JSON.stringify(file)} })`));
}

describe('notify status', () => {
  test('is not well while everything waits for another try: it says what for, and when', async () => {
    const config = await worked(
      'down',
      'email',
      async (ledger) => (await ledger.count()).deliveries['retry-scheduled'] === 3,
    );
    const { stdout } = await here(() => runStatus({ config }));
    expect(stdout).toMatch(
      /^WAIT {2}3 deliveries wait to be tried or asked about again, the first at 2\S+Z: connection refused\n/,
    );
    expect(stdout).toMatch(/waiting {3}3 {2}connection refused\n +the first is due at 2\S+Z\n/);
    const report = JSON.parse((await here(() => runStatus({ config, json: true }))).stdout) as StatusReport;
    expect(report).toMatchObject({
      waiting: { reasons: [{ name: 'connection refused', count: 3 }], isComplete: true },
      attention: [],
    });
  });

  test('shows what no worker can route because its config lacks a channel', async () => {
    const config = await worked('lacking', 'webhook', async (ledger) => {
      const { items } = await ledger.listNotifications({ states: ['expanding', 'accepted'] });
      return items.some(({ reason }) => reason !== null);
    });
    const { stdout } = await here(() => runStatus({ config }));
    expect(stdout).toContain("! 1 notification put back: channel 'webhook' has no provider in this worker's config\n");
  });
});
