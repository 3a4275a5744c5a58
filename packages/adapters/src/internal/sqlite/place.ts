import { connectionOf, type Connection, type SqliteDatabaseLike } from './database.ts';
import { openDatabase } from './open-database.ts';
import { patiently, transaction, type TransactionOptions } from './transaction.ts';

export interface SqlitePlaceOptions {
  readonly file: string | undefined;
  /** In the place of `file`: it is left open. */
  readonly database: SqliteDatabaseLike | undefined;
  /** Made by the first connection; may be run again. */
  readonly schema: string;
  /** As messages name it. */
  readonly name: string;
  readonly lockTimeoutMs: number;
}

/** A file that the first call opens, or a database that was given open, with its tables in it. */
export interface SqlitePlace extends TransactionOptions {
  /** One for all calls; after a failure the next call tries again. */
  connect(): Promise<Connection>;
  close(): Promise<void>;
}

export function sqlitePlace({ file, database: given, schema, name, lockTimeoutMs }: SqlitePlaceOptions): SqlitePlace {
  const limits = { file: name, lockTimeoutMs };
  let opening: Promise<Connection> | null = null;

  async function open(): Promise<Connection> {
    const database = given ?? openDatabase(file ?? '');
    try {
      // Waiting for a lock is ours to do: SQLite would stop the whole process for it.
      if (given === undefined) database.exec('PRAGMA busy_timeout = 0');
      const connection = await patiently(() => connectionOf(database), limits);
      if (given === undefined)
        await patiently(() => database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL'), limits);
      await transaction(connection, 'IMMEDIATE', () => database.exec(schema), limits);
      return connection;
    } catch (error) {
      if (given === undefined) database.close();
      throw error;
    }
  }

  return {
    ...limits,
    connect() {
      opening ??= open().catch((error: unknown) => {
        opening = null;
        throw error;
      });
      return opening;
    },
    async close() {
      const last = (await opening?.catch(() => null)) ?? null;
      opening = null;
      if (given === undefined) last?.database.close();
    },
  };
}
