import { SendonceError } from '@sendonce/core';

/** A value that every driver takes and gives back unchanged. */
export type SqlValue = string | number | null;

/** A prepared statement of better-sqlite3, libsql or node:sqlite; each types its values in its own way, and takes a `SqlValue`. */
export interface SqliteStatementLike {
  run(...values: never[]): unknown;
  get(...values: never[]): unknown;
  all(...values: never[]): unknown[];
}

interface Statement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  /** better-sqlite3, libsql. */
  safeIntegers?(on: boolean): unknown;
  /** node:sqlite. */
  setReadBigInts?(on: boolean): unknown;
  setReturnArrays?(on: boolean): unknown;
}

/** An open database of better-sqlite3, libsql or node:sqlite: what all three can do. */
export interface SqliteDatabaseLike {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatementLike;
  close(): unknown;
}

/** A database with its statements, each prepared once. */
export interface Connection {
  readonly database: SqliteDatabaseLike;
  run(sql: string, ...values: SqlValue[]): void;
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
}

const connections = new WeakMap<SqliteDatabaseLike, Connection>();

/**
 * The connection of this database; a second call answers the same one.
 * @throws SendonceError OPTION_INVALID for one whose rows are not objects of plain numbers and texts.
 */
export function connectionOf(database: SqliteDatabaseLike): Connection {
  const known = connections.get(database);
  if (known !== undefined) return known;
  const prepared = new Map<string, Statement>();

  function statement(sql: string): Statement {
    const found = prepared.get(sql);
    if (found !== undefined) return found;
    const made = plain(database.prepare(sql));
    prepared.set(sql, made);
    return made;
  }

  const connection: Connection = {
    database,
    run(sql, ...values) {
      statement(sql).run(...values);
    },
    // node:sqlite answers undefined for no row, as the others do; null is for whoever wraps them.
    get: <Row>(sql: string, ...values: SqlValue[]) => (statement(sql).get(...values) as Row | null) ?? undefined,
    all: <Row>(sql: string, ...values: SqlValue[]) => statement(sql).all(...values) as Row[],
  };
  checkRows(connection);
  connections.set(database, connection);
  return connection;
}

/** Ours alone: what the application set for its own statements on this connection (BigInt for every number, above all) stays. */
function plain(statement: Statement): Statement {
  statement.safeIntegers?.(false);
  statement.setReadBigInts?.(false);
  statement.setReturnArrays?.(false);
  return statement;
}

function checkRows(connection: Connection): void {
  const sql = `SELECT value, 'x' AS name FROM json_each('[1]')`;
  const isRow = (row: unknown): boolean => {
    const { value, name } = (row ?? {}) as { value?: unknown; name?: unknown };
    return value === 1 && name === 'x';
  };
  const [got, all] = [connection.get<unknown>(sql), connection.all<unknown>(sql)];
  if (isRow(got) && all.length === 1 && isRow(all[0])) return;
  const shown = JSON.stringify(got, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  throw new SendonceError(
    'OPTION_INVALID',
    `the database answers ${shown} where {"value":1,"name":"x"} was expected: its statements must give rows as objects of plain numbers and texts; give the connection as better-sqlite3, libsql or node:sqlite opens it`,
  );
}
