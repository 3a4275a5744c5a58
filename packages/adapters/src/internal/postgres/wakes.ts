import type { Bell } from '../wakes/announcing.ts';
import { listening, loss, type Line, type Listening } from '../wakes/listening.ts';
import { APART_MS, ringing } from '../wakes/ringing.ts';
import type { Query } from './connection.ts';
import { whoOf } from './failures.ts';

/** What listening uses of a `pg.Client`. */
export interface PostgresListenerLike {
  connect(): Promise<unknown>;
  query(text: string): Promise<unknown>;
  on(event: 'notification' | 'end', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<unknown>;
}

export interface PostgresWakes {
  /**
   * Makes a connection to the same database that is not open yet: `() => new pg.Client({ connectionString })`. Each worker opens one, and
   * closes it; a process without a worker opens none. It may not go through a PgBouncer in transaction mode, which would bring no wakes.
   */
  readonly client: () => PostgresListenerLike;
}

export interface PostgresBell extends Bell {
  /** Says in a transaction of the caller's that its commit makes work due. */
  ringIn(query: Query): Promise<void>;
}

export function postgresBell(
  { client }: PostgresWakes,
  { query, name, warn }: Pick<Listening, 'warn'> & { readonly query: Query; readonly name: string },
): PostgresBell {
  // A name may have 63 bytes, and a schema's has up to 60. Of two that share theirs each is woken by both.
  const channel = `"${name.slice(0, 57)}_wakes"`;
  const notify = `NOTIFY ${channel}`;
  const bell = ringing(() => query(notify));
  let rangAt = -Infinity;
  let late: NodeJS.Timeout | null = null;

  return {
    ...bell,
    listen: listening({ connect: (onWake) => lineOf(client(), channel, onWake), who: whoOf(name), warn }),
    async ringIn(joined) {
      const now = performance.now();
      if (now - rangAt >= APART_MS) {
        rangAt = now;
        await joined(notify);
      } else
        // The server commits those that notify one at a time. So a busy application has no more than 20 of them a second; of the rest, what
        // is committed soon is told of from outside, and what is committed later is found by polling.
        late ??= setTimeout(() => {
          late = null;
          bell.ring();
        }, 2 * APART_MS).unref();
    },
  };
}

function lineOf(client: PostgresListenerLike, channel: string, onWake: () => void): Line {
  const { lost, lose } = loss();
  client.on('notification', onWake);
  client.on('error', lose);
  client.on('end', () => lose(new Error('the connection has ended')));
  return {
    lost,
    async open() {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
    },
    ask: () => client.query('SELECT 1'),
    close: () => void client.end().catch(() => undefined),
  };
}
