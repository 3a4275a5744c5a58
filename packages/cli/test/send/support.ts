import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import type { Ledger, NotificationRecord } from '@sendonce/core';
import { afterAll } from 'vitest';
import { ledgerFolder, type LedgerFolder } from '../operate/support/ledger-folder.ts';
import type { SendLine } from '../../src/send/send-line.ts';

export interface SendFolder extends LedgerFolder {
  readonly ledger: Ledger;
  readonly notifications: (type: string) => Promise<readonly NotificationRecord[]>;
}

/** A project with types of every kind, and its ledger for the tests to look into. */
export function sendFolder(): SendFolder {
  const made = ledgerFolder();
  const ledger = sqliteLedger({ file: made.file, synchronous: 'normal' });
  afterAll(() => ledger.close());
  return {
    ...made,
    ledger,
    async notifications(type) {
      const found: NotificationRecord[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<Ledger['listNotifications']>> = await ledger.listNotifications(
          {},
          { limit: 500, cursor },
        );
        found.push(...page.items.filter((each) => each.type === type));
        ({ cursor } = page);
      } while (cursor !== null);
      return found;
    },
  };
}

/** As text, so that it has nothing of the tests in it. */
export function sendConfig(folder: LedgerFolder, name = 'send.config.ts', worker = '{}'): string {
  return folder.write(
    name,
    `import { sqliteLedger } from 'ledger-of-the-test';
const capabilities = { idempotency: { kind: 'none' }, lookup: 'none', correlation: 'none', coalesce: false };
const provider = { name: 'first', capabilities, send() { throw new Error('never called'); }, async close() {} };
const route = (data) => [{ channel: 'email', to: data.email }];
const content = () => ({ subject: 'x' });
const validate = (value) => (typeof value.email === 'string' ? { value } : { issues: [{ message: 'no email', path: ['email'] }] });
export default {
  ledger: sqliteLedger({ file: ${JSON.stringify(folder.file)}, synchronous: 'normal' }),
  channels: { email: { providers: [provider] } },
  notifications: {
    order: {
      class: 'transactional',
      key: (data) => { if (data.id === 'throws') throw new Error('key threw'); return data.id; },
      schema: { '~standard': { version: 1, vendor: 'test', validate } },
      route, content,
    },
    plain: { class: 'transactional', route, content },
    news: { class: 'transactional', content },
  },
  worker: ${worker},
};
`,
  );
}

export function linesOf(stdout: string): SendLine[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SendLine);
}
