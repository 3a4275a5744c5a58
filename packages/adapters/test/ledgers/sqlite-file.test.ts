import { copyFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isSendonceError, notificationId, type Ledger } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/internal/sqlite/open-database.ts';
import { markRestored, sqliteLedger } from '../../src/ledgers/sqlite.ts';
import { expanded, LEASE, newNotification, sendDue, targetOf, temporaryFile } from './support.ts';

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'no error';
  } catch (error) {
    return isSendonceError(error) ? error.code : String(error);
  }
}

async function using<T>(ledger: Ledger, use: (ledger: Ledger) => Promise<T>): Promise<T> {
  try {
    return await use(ledger);
  } finally {
    await ledger.close();
  }
}

describe('a SQLite ledger whose file', () => {
  test('is locked by another program waits, goes on when it is free, and says so when it never is', async () => {
    const file = temporaryFile();
    const ids = await using(sqliteLedger({ file }), (ledger) => expanded(ledger, 3));
    const other = openDatabase(file);
    other.exec('BEGIN IMMEDIATE');
    await using(sqliteLedger({ file, lockTimeoutMs: 50 }), async (ledger) => {
      expect(await codeOf(sendDue(ledger))).toBe('LEDGER_LOCKED');
    });
    await using(sqliteLedger({ file }), async (ledger) => {
      const sending = sendDue(ledger);
      // This process stays free while it waits, so whoever holds the lock in it can let go.
      await delay(1);
      other.exec('COMMIT');
      expect(await sending).toEqual(ids);
    });
    other.close();
  });

  test('cannot be written is refused with its name and what to do, and works again once it can', async () => {
    const file = temporaryFile();
    await using(sqliteLedger({ file }), (ledger) => expanded(ledger, 2));
    const database = openDatabase(file);
    database.exec('PRAGMA query_only = ON');
    const readOnly = sqliteLedger({ database });
    expect((await readOnly.count()).deliveries.queued).toBe(2);
    expect(await codeOf(sendDue(readOnly))).toBe('LEDGER_READ_ONLY');
    database.close();
    await using(sqliteLedger({ file }), async (ledger) => expect(await sendDue(ledger)).toHaveLength(2));
  });

  test('has no room left says so, writes nothing of the call, and goes on by itself when there is room', async () => {
    const file = temporaryFile();
    const database = openDatabase(file);
    const ledger = sqliteLedger({ database });
    const ids = await expanded(ledger, 2);
    database.exec('PRAGMA max_page_count = 1');
    const many = Array.from({ length: 2_000 }, (_, i) => targetOf(i));
    const big = newNotification(notificationId('default', 'order', 'big'), 'big', many);
    expect(await codeOf(ledger.accept([big]))).toBe('LEDGER_FULL');
    expect(await ledger.findNotifications([big.id])).toEqual([null]);
    database.exec('PRAGMA max_page_count = 1000000');
    expect(await ledger.accept([big])).toMatchObject([{ kind: 'accepted' }]);
    expect(await sendDue(ledger)).toEqual(ids);
    database.close();
  });

  test('is no database is left as it was', async () => {
    const file = temporaryFile();
    writeFileSync(file, 'Dear diary, '.repeat(1_000));
    const before = statSync(file).size;
    await using(sqliteLedger({ file }), async (ledger) => expect(await codeOf(ledger.count())).toBe('LEDGER_CORRUPT'));
    expect(statSync(file).size).toBe(before);
  });

  test('is in a folder that is not there names the path', async () => {
    const file = temporaryFile('missing/ledger.db');
    await using(sqliteLedger({ file }), (ledger) =>
      expect(ledger.count()).rejects.toMatchObject({
        code: 'LEDGER_UNAVAILABLE',
        message: expect.stringContaining(`'${file}': it cannot be opened; see that its folder exists`),
      }),
    );
  });

  test('was written by a later release is not touched', async () => {
    const file = temporaryFile();
    await using(sqliteLedger({ file }), (ledger) => ledger.count());
    const database = openDatabase(file);
    database.exec('UPDATE sendonce_schema SET version = 99');
    database.close();
    await using(sqliteLedger({ file }), async (ledger) => expect(await codeOf(ledger.count())).toBe('LEDGER_NEWER'));
  });

  test('belongs to an application keeps its tables, and an accept joins its transaction', async () => {
    const file = temporaryFile();
    const database = openDatabase(file);
    database.exec('CREATE TABLE orders (id TEXT PRIMARY KEY)');
    await using(sqliteLedger({ file }), async (ledger) => {
      await ledger.count();
      const accept = (key: string): Promise<unknown> =>
        ledger.accept([newNotification(notificationId('default', 'order', key), key, [targetOf(1)])], {
          transaction: database,
        });
      database.exec(`BEGIN IMMEDIATE; INSERT INTO orders VALUES ('undone')`);
      await accept('undone');
      database.exec('ROLLBACK');
      database.exec(`BEGIN IMMEDIATE; INSERT INTO orders VALUES ('done')`);
      await accept('done');
      database.exec('COMMIT');
      expect(database.prepare('SELECT id FROM orders').all()).toMatchObject([{ id: 'done' }]);
      const ids = ['undone', 'done'].map((key) => notificationId('default', 'order', key));
      expect((await ledger.findNotifications(ids)).map((record) => record?.key ?? null)).toEqual([null, 'done']);
      expect((await ledger.count()).notifications.expanding).toBe(1);
      await expect(
        ledger.accept([newNotification(ids[0]!, 'undone', [])], { transaction: 'tx' }),
      ).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    });
    database.close();
  });
});

test('data of a notification that was rolled back are never handed out as those of the next one', async () => {
  const database = openDatabase(temporaryFile());
  const ledger = sqliteLedger({ database });
  await ledger.count();
  const many = Array.from({ length: 5_000 }, (_, i) => targetOf(i));
  const [small, big, other] = ['small', 'big', 'other'].map((key) =>
    newNotification(notificationId('default', 'order', key), key, key === 'big' ? many : [targetOf(1)]),
  );
  const pages = database.prepare('PRAGMA page_count').get() as { page_count: number };
  database.exec(`PRAGMA max_page_count = ${pages.page_count + 20}`);
  expect(await codeOf(ledger.accept([small!, big!]))).toBe('LEDGER_FULL');
  database.exec('PRAGMA max_page_count = 1000000');
  await ledger.accept([{ ...other!, fingerprint: 'f2' }]);
  const [claimed] = await ledger.claimNotifications({ due: 1, lateMs: 0 }, { ...LEASE, requestId: 'r1' });
  expect(claimed).toMatchObject({ kind: 'granted', record: { key: 'other', data: { order: 'other' } } });
  database.close();
});

describe('a transaction to join', () => {
  const accept = (ledger: Ledger, transaction: unknown): Promise<unknown> =>
    ledger.accept([newNotification(notificationId('default', 'order', 'k'), 'k', [targetOf(1)])], { transaction });

  test('must be open, and to the file of the ledger', async () => {
    const [file, otherFile] = [temporaryFile(), temporaryFile('other.db')];
    const database = openDatabase(file);
    const other = openDatabase(otherFile);
    await using(sqliteLedger({ file }), async (ledger) => {
      await expect(accept(ledger, database)).rejects.toThrow('has no transaction open');
      other.exec('BEGIN');
      await expect(accept(ledger, other)).rejects.toThrow('one transaction needs one file');
      other.exec('ROLLBACK');
      expect((await ledger.count()).notifications.expanding).toBe(0);
    });
    database.close();
    other.close();
  });

  test('may be the first thing that happens to the file, and roll back', async () => {
    const file = temporaryFile();
    const database = openDatabase(file);
    await using(sqliteLedger({ file }), async (ledger) => {
      for (const end of ['ROLLBACK', 'COMMIT']) {
        database.exec('BEGIN IMMEDIATE');
        await accept(ledger, database);
        database.exec(end);
      }
      expect((await ledger.count()).notifications.expanding).toBe(1);
    });
    database.close();
  });
});

test('a file that is removed or replaced under an open ledger is told, and not written any more', async () => {
  const file = temporaryFile();
  await using(sqliteLedger({ file }), async (ledger) => {
    await expanded(ledger, 1);
    rmSync(file);
    // It looks once a second; the clock that it looks at is the real one.
    await expect.poll(() => codeOf(ledger.count()), { timeout: 5_000 }).toBe('LEDGER_UNAVAILABLE');
  });
});

describe('a file that was restored from a copy', () => {
  test('sends nothing again that it forgot: after the quarantine all that is not settled counts as unknown', async () => {
    const file = temporaryFile();
    let now = 1_700_000_000_000;
    const options = { file, now: () => now };
    const ids = await using(sqliteLedger(options), (ledger) => expanded(ledger, 2));
    const copy = temporaryFile('copy.db');
    const database = openDatabase(file);
    // A plain copy of the file alone misses what is still in its log.
    database.exec(`VACUUM INTO '${copy}'`);
    database.close();
    await using(sqliteLedger(options), (ledger) => sendDue(ledger));
    for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true });
    copyFileSync(copy, file);
    await markRestored(options, 60_000);
    await using(sqliteLedger(options), async (ledger) => {
      expect(await sendDue(ledger, 100, 'during')).toEqual([]);
      now += 60_001;
      expect(await sendDue(ledger, 100, 'after')).toEqual([]);
      expect((await ledger.find(ids)).map((record) => record?.state)).toEqual(['unknown', 'unknown']);
    });
  });
});

describe('what is settled', () => {
  const DAY_MS = 86_400_000;

  test('loses its content in time, dead letters keep theirs, and all is forgotten in the end', async () => {
    const file = temporaryFile();
    let now = 1_700_000_000_000;
    const options = { file, now: () => now, contentRetentionMs: DAY_MS, retentionMs: 10 * DAY_MS };
    await using(sqliteLedger(options), async (ledger) => {
      const [id] = await expanded(ledger, 1);
      await sendDue(ledger);
      now += DAY_MS;
      await ledger.sweep({ max: 10, reconcileLeaseMs: 1_000 });
      expect(await ledger.find([id!])).toMatchObject([{ state: 'sent', message: {}, target: { data: {} } }]);
      expect((await ledger.listNotifications({})).items).toMatchObject([{ state: 'done', data: null }]);
      now += 10 * DAY_MS;
      await ledger.sweep({ max: 10, reconcileLeaseMs: 1_000 });
      expect(await ledger.find([id!])).toEqual([null]);
      const { deliveries, notifications } = await ledger.count();
      expect([deliveries.sent, notifications.done]).toEqual([0, 0]);
    });
  });
});

test('options that cannot work are refused by name', () => {
  const file = 'ledger.db';
  const WRONG = [
    [{}, 'either file or database'],
    [{ file, database: openDatabase(':memory:') }, 'either file or database'],
    [{ file: '' }, 'file must be'],
    [{ database: {} }, 'database must be'],
    [{ file, synchronous: 'off' }, 'synchronous must be'],
    [{ file, lockTimeoutMs: -1 }, 'lockTimeoutMs must be'],
    [{ file, retentionMs: 5 }, 'retentionMs must be'],
    [{ file, contentRetentionMs: Number.NaN }, 'contentRetentionMs must be'],
    [{ file, retension: 1 }, `Did you mean 'retentionMs'?`],
    [{ file, retentionMs: 86_400_000, contentRetentionMs: 86_400_001 }, 'at most retentionMs (86400000)'],
    [{ file, now: 5 }, 'now must be a function, got 5'],
    [undefined, 'must be an object'],
  ] as const;
  for (const [options, message] of WRONG)
    expect(() => sqliteLedger(options as never), JSON.stringify(options)).toThrow(message);
});
