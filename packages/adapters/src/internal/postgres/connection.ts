/** A row as a driver gives it. */
export type Row = Readonly<Record<string, string | null>>;

/**
 * Whatever can send a statement with values: a `pg.Pool`, a `pg.Client`, or a function of another library around its own. It answers
 * the rows, or an object that has them.
 */
export interface PostgresLike {
  // A method, so that drivers with stricter values fit.
  query(text: string, values: string[]): PromiseLike<unknown>;
}

/** Sends one statement; the rows are texts by the names of the columns. */
export type Query = (text: string, values?: readonly string[]) => Promise<readonly Row[]>;

/** @throws TypeError for an answer that has no rows. */
export function queryOf(client: PostgresLike): Query {
  return async (text, values = []) => {
    const answer: unknown = await client.query(text, [...values]);
    const rows = Array.isArray(answer) ? (answer as unknown[]) : (answer as { rows?: unknown } | undefined)?.rows;
    if (!Array.isArray(rows)) throw new TypeError('query(text, values) must answer the rows, or an object with rows');
    return rows as Row[];
  };
}
