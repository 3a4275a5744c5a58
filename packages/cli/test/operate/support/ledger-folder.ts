import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'tsup';
import { afterAll, beforeAll } from 'vitest';
import { notify, root, type NotifyOptions, type Result } from '../../notify.ts';

/** A user's project: a config whose ledger is a real SQLite file, and the built command line, run in it. */
export interface LedgerFolder {
  readonly file: string;
  readonly config: string;
  readonly run: (args: readonly string[], options?: NotifyOptions) => Promise<Result>;
  /** Another config beside it. */
  readonly write: (name: string, text: string) => string;
}

/** Once per test file; gone after it. */
export function ledgerFolder(): LedgerFolder {
  const folder = mkdtempSync(join(tmpdir(), 'notify-operate-'));
  const file = join(folder, 'ledger.db');
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  beforeAll(async () => {
    await installLedger(folder);
    write('notify.config.ts', configText(`sqliteLedger({ file: ${JSON.stringify(file)}, synchronous: 'normal' })`));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const config = join(folder, 'notify.config.ts');
  return {
    file,
    config,
    write,
    run: (args, options = {}) =>
      notify([...args, ...(args.includes('--config') ? [] : ['--config', config])], {
        ...options,
        env: { USER: 'anna', ...options.env },
      }),
  };
}

/** As text, so that it has nothing of the tests in it. `more`: further options. */
export function configText(ledger: string, more = ''): string {
  return `import { sqliteLedger } from 'ledger-of-the-test';
const capabilities = { idempotency: { kind: 'key', windowMs: 86400000 }, lookup: 'none', correlation: 'none', coalesce: false, events: 'none' };
const provider = { name: 'first', capabilities, send() { throw new Error('never called'); }, async close() {} };
console.log('a config that talks');
export default {
  ledger: ${ledger},
  channels: { email: { providers: [provider] } },
  notifications: {
    news: { class: 'transactional', content: () => ({ subject: 'News' }) },
    brief: { class: 'transactional', content: () => ({ subject: 'Brief' }) },
  },
  ${more}
};
`;
}

/** What a user gets from npm: one built file, which the config imports without any of our own loaders. */
async function installLedger(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules', 'ledger-of-the-test');
  mkdirSync(installed, { recursive: true });
  symlinkSync(join(root, 'node_modules', 'libsql'), join(folder, 'node_modules', 'libsql'));
  await build({
    entry: { index: join(root, 'packages/adapters/src/ledgers/sqlite.ts') },
    outDir: installed,
    format: 'esm',
    target: 'node20',
    platform: 'node',
    config: false,
    silent: true,
    clean: false,
    noExternal: [/^@sendonce\//],
    external: ['libsql'],
    esbuildOptions(options) {
      options.conditions = ['@sendonce/source', ...(options.conditions ?? [])];
    },
  });
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ type: 'module', exports: './index.js' }));
}
