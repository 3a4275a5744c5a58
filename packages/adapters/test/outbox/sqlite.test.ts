import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { test, type TestContext } from 'vitest';
import { outboxSchema, sqliteOutbox } from '../../src/outbox/sqlite.ts';
import { testOutbox, type Place } from './suite.ts';

/** The application has a connection of its own, as has the relay. */
async function place({ onTestFinished }: TestContext): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-outbox-'));
  const [application, relay] = [1, 2].map(() => new Database(join(folder, 'app.db'))) as [
    Database.Database,
    Database.Database,
  ];
  onTestFinished(() => {
    application.close();
    relay.close();
    rmSync(folder, { recursive: true });
  });
  application.exec('PRAGMA journal_mode = WAL');
  for (const database of [application, relay]) database.exec('PRAGMA synchronous = OFF');
  application.exec(outboxSchema());
  application.exec(outboxSchema());
  const outbox = sqliteOutbox({ database: relay });
  return Promise.resolve({
    outbox,
    begin(...events) {
      application.exec('BEGIN IMMEDIATE');
      outbox.add(application, ...events);
      const end = (words: string): Promise<void> => Promise.resolve(void application.exec(words));
      return Promise.resolve({ commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') });
    },
  });
}

testOutbox('an outbox in SQLite', place);

test('an outbox in SQLite takes nothing outside of a transaction', async (context) => {
  const database = new Database(':memory:');
  context.onTestFinished(() => void database.close());
  database.exec(outboxSchema());
  const outbox = sqliteOutbox({ database });
  context.expect(() => outbox.add(database, { type: 'order', data: 1 })).toThrow(/no transaction open/);
  context.expect(await outbox.count()).toMatchObject({ waiting: 0 });
});
