import pg from 'pg';
import { postgresLedger } from '@sendonce/adapters/ledgers/postgres';
import { smtp } from '@sendonce/adapters/providers/smtp';
import { defineConfig, notification } from '@sendonce/core';

const port = Number(process.env['QUICKSTART_PORT'] ?? 2525);
// #region config
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });
// A connection that breaks while nobody uses it: the pool makes another.
pool.on('error', (error) => console.error(error.message));

export default defineConfig({
  ledger: postgresLedger({ client: pool }),
  channels: { email: { providers: [smtp({ host: '127.0.0.1', port, from: 'Shop <shop@example.com>' })] } },
  notifications: {
    news: notification<{ issue: number }>({
      class: 'transactional',
      content: ({ issue }, { data }) => ({ subject: `News ${issue}`, text: `Dear ${String(data['name'])}, ...` }),
      sample: (i) => ({ issue: i + 1 }),
    }),
  },
  worker: { concurrency: 20, leaseMs: 2_000, dispatchMs: 3_000, sendMarginMs: 1_000 },
});
// #endregion
