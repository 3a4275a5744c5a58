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

/** The connection of this database; a second call answers the same one. */
export function connectionOf(database: SqliteDatabaseLike): Connection {
  const known = connections.get(database);
  if (known !== undefined) return known;
  const prepared = new Map<string, Statement>();

  function statement(sql: string): Statement {
    const found = prepared.get(sql);
    if (found !== undefined) return found;
    const made = database.prepare(sql);
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
  connections.set(database, connection);
  return connection;
}
