import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresInbox } from '@sendonce/adapters/inboxes/postgres';
import type { Inbox } from '@sendonce/adapters/inboxes/sqlite';
import { postgresLedger } from '@sendonce/adapters/ledgers/postgres';
import type { Ledger } from '@sendonce/core';
import pg from 'pg';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { server as postgresServer } from '../../packages/adapters/test/ledgers/postgres/server.ts';
import { cleanOld, forget, notifierOn, serve, storesIn } from './app.ts';

const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
/** Why there is no browser to test with; null: there is. On a machine that has to test everything its absence is a failure. */
const noBrowser =
  PROGRAM !== undefined || process.env['CI'] === 'true'
    ? null
    : 'Chromium is not installed: apt-get install -y --no-install-recommends chromium';

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-dev-shm-usage'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Notes every message event that comes, beside what the page shows. */
const PAGE = `<!doctype html><title>Inbox</title><p id="unread"></p><ol id="list"></ol><script type="module">
import { openInbox } from '/inbox.js';
globalThis.events = [];
const Source = globalThis.EventSource;
globalThis.EventSource = class extends Source {
  constructor(url) {
    super(url);
    this.addEventListener('message', ({ data }) => { const { id, change } = JSON.parse(data); events.push(id + ' ' + change); });
    this.addEventListener('open', () => (globalThis.opened = (globalThis.opened ?? 0) + 1));
  }
};
globalThis.inbox = await openInbox(({ messages, unread }) => {
  document.querySelector('#unread').textContent = String(unread);
  document.querySelector('#list').replaceChildren(...messages.map(({ id, content }) => {
    const item = document.createElement('li');
    item.dataset.id = id;
    item.textContent = content.text;
    return item;
  }));
});
</script>`;

interface Tab {
  readonly page: Page;
  readonly unread: () => Promise<string | null>;
  readonly texts: () => Promise<readonly string[]>;
  /** Message events as they came: id and change. */
  readonly events: () => Promise<readonly string[]>;
}

describe.skipIf(noBrowser !== null)(`in a browser${noBrowser === null ? '' : ` (${noBrowser})`}`, () => {
  let browser: Browser;
  const profile = mkdtempSync(join(tmpdir(), 'sendonce-browser-'));
  beforeAll(async () => {
    if (PROGRAM === undefined) throw new Error('no Chromium: run apt-get install -y --no-install-recommends chromium');
    browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS, env: { ...process.env, HOME: profile } });
  });
  afterAll(async () => {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  });

  const stores: readonly (readonly [string, () => Promise<{ readonly ledger: Ledger; readonly inbox: Inbox }>])[] = [
    ['SQLite', inSqlite],
    ['PostgreSQL', inPostgres()],
  ];
  test.each(stores)(
    'a message on %s arrives in every tab, is read in all, and none is missed or told twice when the server goes and comes back',
    { timeout: 120_000 },
    async (_, open) => {
      const { ledger, inbox } = await open();
      const notifier = notifierOn(ledger, inbox);
      const stop = new AbortController();
      const working = notifier.worker().run({ signal: stop.signal });
      const site = await listening(inbox, 0);
      const context = await browser.newContext();
      await context.addCookies([{ name: 'user', value: 'ann', domain: '127.0.0.1', path: '/' }]);
      const tabs = [await tabIn(await context.newPage(), site.port), await tabIn(await context.newPage(), site.port)];
      const [first, second] = tabs as [Tab, Tab];

      await notifier.publish('shipped', { id: 'o-1', customer: 'ann' });
      await notifier.publish('shipped', { id: 'o-2', customer: 'bob' });
      await notifier.publish('shipped', { id: 'o-3', customer: 'ann' });
      await notifier.publish('shipped', { id: 'o-1', customer: 'ann' });
      const text = (id: string): string => `Order ${id} will be with you tomorrow.`;
      for (const { texts, unread } of tabs) {
        await expect.poll(texts, { timeout: 20_000 }).toHaveLength(2);
        expect([...(await texts())].sort()).toEqual([text('o-1'), text('o-3')]);
        await expect.poll(unread).toBe('2');
      }

      await first.page.evaluate(`inbox.read(document.querySelector('li').dataset.id)`);
      for (const { unread } of tabs) await expect.poll(unread).toBe('1');

      await site.close();
      await notifier.publish('shipped', { id: 'o-4', customer: 'ann' });
      await vi.waitFor(async () => expect((await inbox.unread({ recipientId: 'ann' })).unread).toBe(2), 20_000);
      const [newest] = (await inbox.list({ recipientId: 'ann' })).messages;
      await inbox.archive({ recipientId: 'ann', ids: [newest!.id] });
      await notifier.publish('shipped', { id: 'o-5', customer: 'ann' });
      await vi.waitFor(async () => expect((await inbox.unread({ recipientId: 'ann' })).unread).toBe(2), 20_000);
      const again = await listening(inbox, site.port);
      for (const { texts, unread, events } of tabs) {
        await expect.poll(texts, { timeout: 20_000 }).toContain(text('o-5'));
        await expect.poll(unread).toBe('2');
        expect([...(await texts())].sort()).toEqual([text('o-1'), text('o-3'), text('o-5')]);
        const told = await events();
        expect(told).toEqual([...new Set(told)]);
        // Two that came, one that was read, and two that came while nobody could hear of them.
        expect(told).toHaveLength(5);
      }
      expect(await second.page.evaluate('opened')).toBe(2);

      await context.close();
      stop.abort();
      await working;
      await again.close();
      await notifier.close();
      await inbox.close();
    },
  );
});

test('old messages are cleaned, and a person is forgotten', async () => {
  const { inbox } = await inSqlite();
  await inbox.put([{ recipientId: 'ann', id: 'd_1', content: { text: 'x' } }]);
  await cleanOld(inbox);
  expect(await forget(inbox, 'ann')).toBe(1);
  await inbox.close();
});

async function inSqlite(): Promise<{ readonly ledger: Ledger; readonly inbox: Inbox }> {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return storesIn(join(folder, 'shop.db'));
}

function inPostgres(): () => Promise<{ readonly ledger: Ledger; readonly inbox: Inbox }> {
  const running = postgresServer();
  return async () => {
    const client = new pg.Pool({ connectionString: (await running).url });
    onTestFinished(() => client.end());
    const place = { client, schema: `shop_${process.pid}` };
    const ledger = postgresLedger(place);
    const inbox = postgresInbox({ client, table: `inbox_${process.pid}` });
    await ledger.migrate();
    await inbox.migrate();
    return { ledger, inbox };
  };
}

/** The site of the example, with the page and its script. */
async function listening(inbox: Inbox, port: number): Promise<{ readonly port: number; close(): Promise<void> }> {
  const files: Readonly<Record<string, string>> = {
    '/': PAGE,
    '/inbox.js': readFileSync(new URL('inbox.js', import.meta.url), 'utf8'),
  };
  const site = serve(
    inbox,
    (cookie) => /user=(\w+)/.exec(cookie ?? '')?.[1] ?? null,
    ({ url = '' }, response) => {
      const type = url === '/' ? 'text/html' : 'text/javascript';
      response.writeHead(files[url] === undefined ? 404 : 200, { 'content-type': type }).end(files[url]);
    },
  );
  await new Promise<void>((resolve) => site.listen(port, '127.0.0.1', resolve));
  return {
    port: (site.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => site.close(resolve));
      site.closeAllConnections();
      await closed;
    },
  };
}

async function tabIn(page: Page, port: number): Promise<Tab> {
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForFunction('globalThis.opened === 1');
  return {
    page,
    unread: () => page.textContent('#unread'),
    texts: () => page.locator('li').allTextContents(),
    events: () => page.evaluate('events'),
  };
}
