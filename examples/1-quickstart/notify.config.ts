import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { smtp } from '@sendonce/adapters/providers/smtp';
import { defineConfig, notification } from '@sendonce/core';

const folder = process.env['QUICKSTART_FOLDER'] ?? fileURLToPath(new URL('.', import.meta.url));
const port = Number(process.env['QUICKSTART_PORT'] ?? 2525);

// #region config
export default defineConfig({
  ledger: sqliteLedger({ file: join(folder, 'ledger.db') }),
  channels: { email: { providers: [smtp({ host: '127.0.0.1', port, from: 'Shop <shop@example.com>' })] } },
  notifications: {
    // Who gets it is in the data.
    welcome: notification<{ email: string; name: string }>({
      class: 'transactional',
      key: ({ email }) => email,
      route: ({ email, name }) => [{ channel: 'email', to: email, name }],
      content: ({ name }) => ({ subject: `Welcome, ${name}`, text: 'This mail came from Sendonce.' }),
      sample: (i) => ({ email: `person-${i}@example.com`, name: `Person ${i}` }),
    }),
    // Who gets it comes with the notification: a list.
    news: notification<{ issue: number }>({
      class: 'transactional',
      content: ({ issue }, { data }) => ({ subject: `News ${issue}`, text: `Dear ${String(data['name'])}, ...` }),
      sample: (i) => ({ issue: i + 1 }),
    }),
  },
  // Short, so that a worker that was killed is not waited for long. Real ones take the defaults: 30 s and 60 s.
  worker: { concurrency: 20, leaseMs: 2_000, dispatchMs: 3_000, sendMarginMs: 1_000 },
});
// #endregion
