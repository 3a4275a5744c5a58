import { createHash } from 'node:crypto';

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

/** Sends one statement; the rows are texts by the names of the columns. `isUsual`: it is sent again and again with other values. */
export type Query = (text: string, values?: readonly string[], isUsual?: boolean) => Promise<readonly Row[]>;

export interface QueryOptions {
  /** Usual statements are planned once for each connection. */
  readonly prepares?: boolean;
}

/** A statement with a name, as `pg` takes it. */
interface Named {
  query(statement: { readonly name: string; readonly text: string; readonly values: string[] }): PromiseLike<unknown>;
}

/** @throws TypeError for an answer that has no rows. */
export function queryOf(client: PostgresLike, { prepares = false }: QueryOptions = {}): Query {
  const nameOf = names();
  return async (text, values = [], isUsual = false) => {
    const name = prepares && isUsual ? nameOf(text) : null;
    const sent =
      name === null
        ? client.query(text, [...values])
        : (client as unknown as Named).query({ name, text, values: [...values] });
    const answer: unknown = await sent;
    const rows = Array.isArray(answer) ? (answer as unknown[]) : (answer as { rows?: unknown } | undefined)?.rows;
    if (!Array.isArray(rows)) throw new TypeError('query(text, values) must answer the rows, or an object with rows');
    return rows as Row[];
  };
}

/** Each name costs the server a plan in every connection; a call has a few shapes, and what is rare may be planned anew. */
const MOST_NAMES = 48;

/** Null: there are enough. The name follows from the text, so that two ledgers on one connection do not mix theirs up. */
function names(): (text: string) => string | null {
  const given = new Map<string, string>();
  return (text) => {
    const known = given.get(text);
    if (known !== undefined || given.size >= MOST_NAMES) return known ?? null;
    const name = `sendonce_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
    given.set(text, name);
    return name;
  };
}
