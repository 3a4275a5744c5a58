import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, expect, test } from 'vitest';
import { sqliteDestinations } from '../../src/destinations/sqlite.ts';
import { testDestinations } from './suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'sendonce-destinations-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fresh = (): string => join(folder, `${(files += 1)}.db`);

testDestinations('destinations in SQLite', () => sqliteDestinations({ file: fresh() }));
testDestinations('destinations on a connection of the application', () =>
  sqliteDestinations({ database: new Database(':memory:'), table: 'own_destinations' }),
);

const OWNER = { tenant: 'default', channel: 'push', recipientId: 'ann' } as const;

test('destinations in SQLite are there after a restart', async () => {
  const file = fresh();
  const first = sqliteDestinations({ file });
  await first.register([{ ...OWNER, id: 'phone', to: 't1' }]);
  await first.close();
  await first.close();
  await expect(first.of([OWNER])).rejects.toMatchObject({ code: 'DESTINATIONS_UNAVAILABLE' });
  const second = sqliteDestinations({ file });
  expect(await second.of([OWNER])).toMatchObject([[{ id: 'phone', to: 't1' }]]);
  await second.close();
});

test.each([
  ['neither file nor database', {}, 'give either a file or a database'],
  ['both', { file: 'x', database: new Database(':memory:') }, 'give either a file or a database'],
  ['a table that needs quoting', { file: 'x', table: 'a b' }, 'table must be the name of a table'],
])('destinations in SQLite take %s for a mistake', (_, options, words) => {
  expect(() => sqliteDestinations(options)).toThrow(words);
});

test('destinations in SQLite say when the file cannot be opened, and try again', async () => {
  const file = join(folder, 'missing', 'x.db');
  const destinations = sqliteDestinations({ file });
  await expect(destinations.of([OWNER])).rejects.toMatchObject({ code: 'DESTINATIONS_UNAVAILABLE' });
  await expect(destinations.of([OWNER])).rejects.toMatchObject({ code: 'DESTINATIONS_UNAVAILABLE' });
});
