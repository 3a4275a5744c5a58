import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { createNotifier, type Ledger } from '@sendonce/core';
import { afterAll, beforeAll } from 'vitest';
import { ledgerFolder, type LedgerFolder } from '../operate/support/ledger-folder.ts';

/** Whom a provider behind HTTP was asked to tell, and when it answers. */
export interface Post {
  /** Everybody it was asked to tell, in order, a repeat twice. */
  readonly mailbox: string[];
  readonly url: () => string;
  /** From now on nobody is answered. */
  readonly hold: () => void;
  /** Answers this one, who waits. */
  readonly release: (to: string) => void;
  /** Answers everybody who waits, and whoever comes. */
  readonly open: () => void;
  /** Waits until so many were asked for in all. */
  readonly reached: (count: number) => Promise<void>;
}

export function post(): Post {
  const mailbox: string[] = [];
  const waiting = new Map<ServerResponse, string>();
  const listeners = new Set<() => void>();
  let isHeld = false;
  let url = '';
  const server = createServer((request, response) => {
    const to = decodeURIComponent((request.url ?? '').slice(1));
    mailbox.push(to);
    if (isHeld) waiting.set(response, to);
    else response.end();
    for (const listener of listeners) listener();
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    mailbox,
    url: () => url,
    hold: () => (isHeld = true),
    release(wanted) {
      for (const [response, to] of waiting) if (to === wanted) response.end();
    },
    open() {
      isHeld = false;
      for (const response of waiting.keys()) response.end();
      waiting.clear();
    },
    reached: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (mailbox.length < count) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
  };
}

export interface WorkerFolder extends LedgerFolder {
  /** The path of a config with this ledger file and these worker options, as code. */
  readonly configFor: (file: string, worker: string, name?: string) => string;
  readonly ledgerOf: (file: string) => Ledger;
  /** Accepts one notification for so many people. */
  readonly publish: (file: string, people: number) => Promise<void>;
}

/** A project whose provider is a server of the test. */
export function workerFolder(url: () => string): WorkerFolder {
  const made = ledgerFolder();
  const open = new Set<Ledger>();
  afterAll(() => Promise.all([...open].map((ledger) => ledger.close())));
  const ledgerOf = (file: string): Ledger => {
    const ledger = sqliteLedger({ file, synchronous: 'normal' });
    open.add(ledger);
    return ledger;
  };
  return {
    ...made,
    ledgerOf,
    configFor: (file, worker, name = 'worker.config.ts') => made.write(name, configText(file, url(), worker)),
    async publish(file, people) {
      const notifier = createNotifier({
        ledger: ledgerOf(file),
        channels: { email: { providers: [PROVIDER] } },
        notifications: { news: { class: 'transactional', content: () => ({ subject: 'x' }) } },
      });
      const recipients = Array.from({ length: people }, (_, i) => ({
        channel: 'email' as const,
        to: `p${i}@example.org`,
      }));
      await notifier.publish('news', {}, { key: 'k', recipients });
    },
  };
}

const CAPABILITIES = { idempotency: { kind: 'none' }, lookup: 'none', correlation: 'none', coalesce: false } as const;
const PROVIDER = {
  name: 'first',
  capabilities: CAPABILITIES,
  send: () => Promise.reject(new Error('never called')),
  close: () => Promise.resolve(),
};

function configText(file: string, url: string, worker: string): string {
  return `import { sqliteLedger } from 'ledger-of-the-test';
const capabilities = ${JSON.stringify(CAPABILITIES)};
const provider = {
  name: 'first',
  capabilities,
  async send({ to }) {
    await fetch('${url}/' + encodeURIComponent(to));
    if (to.startsWith('p1@')) return { kind: 'rejected', scope: 'message', reason: '550 no mailbox P1@Example.org here, see p1@example.org' };
    return { kind: 'accepted', providerMessageId: 'm' };
  },
  async close() {},
};
export default {
  ledger: sqliteLedger({ file: ${JSON.stringify(file)}, synchronous: 'normal' }),
  channels: { email: { providers: [provider] } },
  notifications: {
    news: { class: 'transactional', content: () => { console.log('from the config'); return { subject: 'x' }; } },
  },
  worker: ${worker},
};
`;
}
