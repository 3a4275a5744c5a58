import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isSendonceError, type Ledger } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/internal/sqlite/open-database.ts';
import { sqliteLedger, type SqliteDatabaseLike } from '../../src/ledgers/sqlite.ts';
import { expanded, LEASE, sendDue, temporaryFile } from './support.ts';

interface Part {
  readonly type: string;
  readonly name: string;
}

function partsOf(database: SqliteDatabaseLike): readonly Part[] {
  const sql = `SELECT type, name FROM sqlite_schema WHERE name LIKE 'sendonce!_%' ESCAPE '!' AND type IN ('table', 'index', 'view')`;
  return database.prepare(sql).all() as Part[];
}

/** Of a ledger that was just made, so that no part of a later schema is left out. */
async function madeParts(): Promise<readonly Part[]> {
  const database = openDatabase(':memory:');
  await sqliteLedger({ database }).count();
  return partsOf(database);
}

async function refusal(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return isSendonceError(error) ? `${error.code}: ${error.message}` : String(error);
}

/** Everything that a worker and a person ask for. */
async function useAll(ledger: Ledger): Promise<void> {
  await expanded(ledger, 1, `k${Math.random()}`);
  await sendDue(ledger, 10, `r${Math.random()}`);
  await ledger.claimNotifications({ due: 1, lateMs: 0 }, { ...LEASE, requestId: `n${Math.random()}` });
  await ledger.suppress([
    { tenant: 'default', recipientId: 'x', topic: 't', channel: '*', suppressed: true, by: 'a', why: 'b' },
  ]);
  await ledger.sweep({ max: 10, reconcileLeaseMs: 1_000 });
  await ledger.count();
  await ledger.list({ states: ['dead'] });
}

const PARTS = await madeParts();
const TABLES = PARTS.filter(({ type }) => type === 'table');
const DERIVED = PARTS.filter(({ type }) => type !== 'table');

describe('a part of the ledger that another program dropped', () => {
  test.for(TABLES)('is told when the file is opened: the table $name', async ({ name }) => {
    const file = temporaryFile();
    const ledger = sqliteLedger({ file });
    await ledger.count();
    await ledger.close();
    const database = openDatabase(file);
    database.exec(`DROP TABLE ${name}`);
    const left = partsOf(database);
    const said = await refusal(sqliteLedger({ file }).count());
    expect(said).toMatch(/^LEDGER_CORRUPT: '.*' has lost a part of the ledger \(.*\), .* put a backup in its place/);
    expect(said).toContain(`(${name})`);
    expect(partsOf(database)).toEqual(left);
    database.close();
  });

  test.for(DERIVED)('is made anew when the file is opened: the $type $name', async ({ type, name }) => {
    const file = temporaryFile();
    const first = sqliteLedger({ file });
    const ids = await expanded(first, 2);
    await first.close();
    const database = openDatabase(file);
    database.exec(`DROP ${type} ${name}`);
    const ledger = sqliteLedger({ file });
    expect(await ledger.count()).toMatchObject({ unreadable: 0 });
    expect([...partsOf(database)].sort(byName)).toEqual([...PARTS].sort(byName));
    expect(await sendDue(ledger)).toEqual(ids);
    await ledger.close();
    database.close();
  });

  test('with the number of the schema in it is told, and nothing is made beside what is left', async () => {
    const file = temporaryFile();
    const first = sqliteLedger({ file });
    await first.count();
    await first.close();
    const database = openDatabase(file);
    database.exec('DELETE FROM sendonce_schema');
    expect(await refusal(sqliteLedger({ file }).count())).toContain('(the row of sendonce_schema)');
    database.close();
  });

  test.for(PARTS)('while it is open is no outage: the $type $name', async ({ type, name }) => {
    const database = openDatabase(temporaryFile());
    const ledger = sqliteLedger({ database });
    await useAll(ledger);
    database.exec(`DROP ${type} ${name}`);
    const said = await refusal(useAll(ledger));
    // Without an index it is only slower, and the number of the schema is asked for when a file is opened.
    if (said === 'null')
      expect([type, name]).toEqual(type === 'index' ? ['index', name] : ['table', 'sendonce_schema']);
    else expect(said).toMatch(/^LEDGER_CORRUPT: .* has lost a part of the ledger, .* start it again/);
    database.close();
  });

  test('as a column is no outage either', async () => {
    const database = openDatabase(temporaryFile());
    const ledger = sqliteLedger({ database });
    await ledger.count();
    database.exec('ALTER TABLE sendonce_strays RENAME COLUMN seen_at TO seen');
    const stray = { ids: ['d_nobody'], agesMs: [90_000], strayAfterMs: 60_000 };
    expect(await refusal(ledger.claim(stray, { ...LEASE, requestId: 'r' }))).toMatch(/^LEDGER_CORRUPT: .* column/);
    database.close();
  });
});

const byName = (a: Part, b: Part): number => (a.name < b.name ? -1 : 1);

test('a file of an earlier schema is brought up to date, with all that is in it', async () => {
  const file = temporaryFile();
  const first = sqliteLedger({ file });
  const ids = await expanded(first, 2);
  await first.close();
  const database = openDatabase(file);
  database.exec('DROP TABLE sendonce_clock; UPDATE sendonce_schema SET version = 1');
  const ledger = sqliteLedger({ file });
  expect(await sendDue(ledger)).toEqual(ids);
  expect([...partsOf(database)].sort(byName)).toEqual([...PARTS].sort(byName));
  await ledger.close();
  database.close();
});

test("tables of an application whose names begin like the ledger's are none of it", async () => {
  const database = openDatabase(temporaryFile());
  database.exec('CREATE TABLE sendonce_outbox (id)');
  expect((await sqliteLedger({ database }).count()).unreadable).toBe(0);
  database.close();
});

describe('a log that lies beside no database', () => {
  /** A file with committed content in its log, as a killed process leaves it; answers what the log holds. */
  async function loneLog(file: string): Promise<Buffer> {
    const database = openDatabase(file);
    database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE theirs (x); INSERT INTO theirs VALUES ('precious')`);
    const log = readFileSync(`${file}-wal`);
    database.close();
    writeFileSync(`${file}-wal`, log);
    return log;
  }

  test.for([
    ['is missing', (file: string) => rmSync(file)],
    ['is empty', (file: string) => writeFileSync(file, '')],
  ] as const)('because that %s is left as it is, and nothing is made', async ([, lose]) => {
    const file = temporaryFile();
    const log = await loneLog(file);
    const kept = `${file}.kept`;
    renameSync(file, kept);
    writeFileSync(file, 'x');
    lose(file);
    const was = existsSync(file);
    expect(await refusal(sqliteLedger({ file }).count())).toMatch(
      /^LEDGER_CORRUPT: .* is missing or empty, but the log/,
    );
    expect(readFileSync(`${file}-wal`)).toEqual(log);
    expect([existsSync(file), existsSync(`${file}-shm`)]).toEqual([was, false]);
    rmSync(file, { force: true });
    rmSync(`${file}-wal`);
    const ledger = sqliteLedger({ file });
    expect((await ledger.count()).unreadable).toBe(0);
    await ledger.close();
  });

  test('and is empty is in nobody’s way', async () => {
    const file = temporaryFile();
    writeFileSync(`${file}-wal`, '');
    const ledger = sqliteLedger({ file });
    expect((await ledger.count()).unreadable).toBe(0);
    await ledger.close();
  });
});
