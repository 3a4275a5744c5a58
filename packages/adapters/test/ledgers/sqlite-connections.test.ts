import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { isSendonceError, notificationId, type Ledger } from '@sendonce/core';
import Libsql from 'libsql';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/internal/sqlite/open-database.ts';
import { sqliteLedger, type SqliteDatabaseLike, type SqliteStatementLike } from '../../src/ledgers/sqlite.ts';
import { expanded, newNotification, sendDue, targetOf, temporaryFile } from './support.ts';

const hasNodeSqlite = process.getBuiltinModule('node:sqlite') !== undefined;

interface NodeSqlite {
  readonly DatabaseSync: new (file: string, options: object) => SqliteDatabaseLike;
}

function query(database: SqliteDatabaseLike, sql: string): unknown[] {
  return database.prepare(sql).all();
}

function accept(ledger: Ledger, transaction: unknown, key = 'joined', recipients = 1): Promise<unknown> {
  const targets = Array.from({ length: recipients }, (_, i) => targetOf(i));
  return ledger.accept([newNotification(notificationId('default', 'order', key), key, targets)], { transaction });
}

async function refusal(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return isSendonceError(error) ? `${error.code}: ${error.message}` : String(error);
}

/** A connection that an application has set up for itself; the ledger neither minds nor changes it. */
const SETTINGS: Readonly<Record<string, (database: SqliteDatabaseLike) => void>> = {
  'every integer as a BigInt': (database) => (database as Libsql.Database).defaultSafeIntegers?.(true),
  'foreign keys and recursive triggers': (database) =>
    database.exec('PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON'),
  'a long busy timeout': (database) => database.exec('PRAGMA busy_timeout = 60000'),
  'no busy timeout': (database) => database.exec('PRAGMA busy_timeout = 0'),
  'a rollback journal': (database) => database.exec('PRAGMA journal_mode = DELETE'),
  'no waiting for the disk': (database) => database.exec('PRAGMA synchronous = OFF'),
  'rows in reverse where no order is asked for': (database) => database.exec('PRAGMA reverse_unordered_selects = ON'),
  'schemas that are not trusted': (database) => database.exec('PRAGMA trusted_schema = OFF'),
  'checks that are ignored': (database) => database.exec('PRAGMA ignore_check_constraints = ON'),
  'an encoding of two bytes': (database) => database.exec(`PRAGMA encoding = 'UTF-16'`),
};

describe('a connection with', () => {
  const CASES = Object.entries(SETTINGS);

  test.for(CASES)('%s carries a ledger', async ([, set]) => {
    const database = openDatabase(temporaryFile());
    set(database);
    const ledger = sqliteLedger({ database });
    const ids = await expanded(ledger, 3);
    expect(await sendDue(ledger)).toEqual(ids);
    expect(await ledger.count()).toMatchObject({ deliveries: { sent: 3 }, notifications: { done: 1 }, unreadable: 0 });
    expect(await ledger.history(ids[0]!)).toHaveLength(4);
    database.close();
  });

  test.for(CASES)('%s may be joined, first of all and later', async ([, set]) => {
    const file = temporaryFile();
    const database = openDatabase(file);
    set(database);
    const ledger = sqliteLedger({ file });
    for (const key of ['first', 'later']) {
      database.exec('BEGIN IMMEDIATE');
      expect(await accept(ledger, database, key)).toMatchObject([{ kind: 'accepted' }]);
      expect(await accept(ledger, database, key)).toMatchObject([{ kind: 'repeated' }]);
      database.exec('COMMIT');
      expect((await ledger.count()).notifications.expanding).toBe(key === 'first' ? 1 : 2);
    }
    await ledger.close();
    database.close();
  });
});

test('the statements of the application keep what it chose for them', async () => {
  const database = new Libsql(temporaryFile()).defaultSafeIntegers(true);
  const ledger = sqliteLedger({ database });
  await expanded(ledger, 1);
  expect(query(database, 'SELECT 1 AS one')).toEqual([{ one: 1n }]);
});

test.skipIf(!hasNodeSqlite)('a node:sqlite database that reads BigInts and lists carries a ledger', async () => {
  // Its types come with those of a later Node.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as NodeSqlite;
  const options = { readBigInts: true, returnArrays: true };
  const database = new DatabaseSync(temporaryFile(), options);
  const ledger = sqliteLedger({ database });
  const ids = await expanded(ledger, 2);
  expect(await sendDue(ledger)).toEqual(ids);
  database.close();
});

describe('a database whose rows are no objects of plain values is refused by what it answers:', () => {
  const wrapped =
    (change: (row: Record<string, unknown>) => unknown) =>
    (database: SqliteDatabaseLike): SqliteDatabaseLike => ({
      exec: (sql) => database.exec(sql),
      close: () => database.close(),
      prepare: (sql): SqliteStatementLike => {
        const statement = database.prepare(sql) as {
          [Method in 'run' | 'get' | 'all']: (...values: unknown[]) => unknown;
        };
        return {
          run: (...values) => statement.run(...values),
          get: (...values) => change(statement.get(...values) as Record<string, unknown>),
          all: (...values) => (statement.all(...values) as Record<string, unknown>[]).map(change),
        };
      },
    });
  const ROWS: Readonly<Record<string, readonly [string, (row: Record<string, unknown>) => unknown]>> = {
    lists: ['[1,"x"', (row) => Object.values(row)],
    'first columns': ['1', (row) => Object.values(row)[0]],
    'BigInts that cannot be switched off': [
      '{"value":"1n","name":"x"',
      (row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, typeof v === 'number' ? BigInt(v) : v])),
    ],
    'columns under the names of their tables': ['{"$":{"value":1,"name":"x"', (row) => ({ $: row })],
  };

  test.for(Object.entries(ROWS))('%s', async ([, [answer, change]]) => {
    const database = wrapped(change)(openDatabase(temporaryFile()));
    const said = await refusal(sqliteLedger({ database }).count());
    expect(said).toContain(`OPTION_INVALID: the database answers ${answer}`);
    const file = temporaryFile();
    const joined = wrapped(change)(openDatabase(file));
    joined.exec('BEGIN IMMEDIATE');
    expect(await refusal(accept(sqliteLedger({ file }), joined))).toContain(`OPTION_INVALID: the database answers`);
    joined.exec('ROLLBACK');
  });
});

describe('a transaction that cannot be joined safely is refused:', () => {
  const closed = (): SqliteDatabaseLike => {
    const database = openDatabase(temporaryFile());
    database.close();
    return database;
  };
  const UNUSABLE: readonly (readonly [what: string, make: () => unknown, words: RegExp])[] = [
    ['that is closed', closed, /this one cannot be used \(it says: .*not open\)$/i],
    ['text', () => 'tx', /got 'tx'$/],
    ['number', () => 5, /got 5$/],
    ['null', () => null, /got null$/],
    ['list', () => [], /got a list of 0$/],
    ['function', () => () => undefined, /got a function$/],
    ['statement', () => openDatabase(':memory:').prepare('SELECT 1'), /got an object/],
    [
      'wrapper that answers promises',
      () => ({ exec: () => Promise.resolve(), prepare: () => Promise.resolve({}), close: () => undefined }),
      /this one cannot be used/,
    ],
    ['thing that prepares nothing', () => ({ exec: () => undefined, prepare: () => undefined }), /cannot be used/],
  ];
  test.for(UNUSABLE)('a %s is told as the value that it is', async ([, make, words]) => {
    const ledger = sqliteLedger({ file: temporaryFile() });
    for (const isOpened of [false, true]) {
      if (isOpened) await ledger.count();
      const said = await refusal(accept(ledger, make()));
      expect(said).toMatch(/^OPTION_INVALID: transaction: must be the open connection/);
      expect(said).toMatch(words);
    }
    await ledger.close();
  });

  test('one that was closed after it was joined', async () => {
    const file = temporaryFile();
    const ledger = sqliteLedger({ file });
    const database = openDatabase(file);
    database.exec('BEGIN IMMEDIATE');
    await accept(ledger, database);
    database.exec('COMMIT');
    database.close();
    expect(await refusal(accept(ledger, database))).toMatch(/^OPTION_INVALID: transaction: .* this one cannot be used/);
    await ledger.close();
  });

  test('one that reads what others have not committed', async () => {
    const file = temporaryFile();
    const database = openDatabase(file);
    database.exec('PRAGMA read_uncommitted = 1; BEGIN IMMEDIATE');
    expect(await refusal(accept(sqliteLedger({ file }), database))).toContain('PRAGMA read_uncommitted = 0');
    database.exec('ROLLBACK');
  });

  test('one that cannot roll back', async () => {
    const file = temporaryFile();
    // node:sqlite of Node 24 does not let it be set.
    const database = new Libsql(file);
    database.exec('PRAGMA journal_mode = OFF; CREATE TABLE orders (id)');
    database.exec('BEGIN IMMEDIATE');
    expect(await refusal(accept(sqliteLedger({ file }), database))).toContain('this connection cannot roll back');
    database.exec('ROLLBACK');
  });

  test('one that began to read, while another program writes', async () => {
    const file = temporaryFile();
    const [database, other] = [openDatabase(file), openDatabase(file)];
    const ledger = sqliteLedger({ file });
    await ledger.count();
    database.exec('BEGIN');
    query(database, 'SELECT * FROM sendonce_schema');
    other.exec('BEGIN IMMEDIATE');
    const said = await refusal(accept(ledger, database));
    expect(said).toMatch(/^LEDGER_LOCKED: .* BEGIN IMMEDIATE/);
    other.exec('ROLLBACK');
    database.exec('ROLLBACK');
    await ledger.close();
  });

  test('one of a database in memory that is not the ledger', async () => {
    const ledger = sqliteLedger({ database: openDatabase(':memory:') });
    const database = openDatabase(':memory:');
    database.exec('BEGIN IMMEDIATE');
    expect(await refusal(accept(ledger, database))).toContain('one transaction needs one file');
    database.exec('ROLLBACK');
  });

  test.skipIf(!hasNodeSqlite)('one of another SQLite library (needs node:sqlite)', async () => {
    const file = temporaryFile();
    const ledger = sqliteLedger({ file });
    await ledger.count();
    const database = new Libsql(file);
    for (const begin of ['BEGIN', 'BEGIN IMMEDIATE']) {
      database.exec(begin);
      expect(await refusal(accept(ledger, database))).toContain('two SQLite libraries');
      database.exec('COMMIT');
    }
    expect((await ledger.count()).notifications.expanding).toBe(0);
    await ledger.close();
  });
});

test('a joined call that fails half-way leaves nothing behind, and the transaction of the application goes on', async () => {
  const database = openDatabase(temporaryFile());
  const ledger = sqliteLedger({ database });
  await expanded(ledger, 1, 'damaged');
  database.exec(`CREATE TABLE orders (id TEXT); UPDATE sendonce_notifications SET body = 'garbage'`);
  database.exec(`BEGIN IMMEDIATE; INSERT INTO orders VALUES ('o1')`);
  const batch = ['good', 'damaged'].map((key) =>
    newNotification(notificationId('default', 'order', key), key, [targetOf(1)]),
  );
  expect(await refusal(ledger.accept(batch, { transaction: database }))).toContain(
    `LEDGER_CORRUPT: notification 'damaged'`,
  );
  database.exec('COMMIT');
  expect(query(database, 'SELECT id FROM orders')).toMatchObject([{ id: 'o1' }]);
  expect(await ledger.findNotifications(batch.map(({ id }) => id))).toEqual([null, null]);
  expect(query(database, 'SELECT count(*) AS n FROM sendonce_notifications')).toMatchObject([{ n: 1 }]);
  database.close();
});

test.skipIf(!existsSync('/proc/self/fd'))('many first calls at once open one connection (needs /proc)', async () => {
  const file = temporaryFile();
  const ledger = sqliteLedger({ file });
  await Promise.all(Array.from({ length: 5 }, () => ledger.count()));
  const opened = readdirSync('/proc/self/fd').filter((fd) => linkOf(fd) === realpathSync(file));
  expect(opened).toHaveLength(1);
  await ledger.close();
});

function linkOf(fd: string): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}
