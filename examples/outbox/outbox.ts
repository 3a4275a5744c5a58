import { outboxRelay, type OutboxRelay } from '@sendonce/adapters/outbox/relay';
import { outboxSchema, postgresOutbox, type PostgresOutbox } from '@sendonce/adapters/outbox/postgres';
import type pg from 'pg';
import type { notifierOn, Order } from '../support/orders.ts';

// #region migrate
/** Once per release, or copied into your own migrations; it may be run again. */
export async function migrate(pool: pg.Pool): Promise<void> {
  await pool.query('CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY)');
  await pool.query(outboxSchema());
}
// #endregion

// #region place
/** The order and what has to be told about it, or neither. */
export async function placeOrder(pool: pg.Pool, outbox: PostgresOutbox, order: Order): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('INSERT INTO orders (id) VALUES ($1)', [order.id]);
    await outbox.add(client, { type: 'orderPlaced', key: order.id, data: order });
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
// #endregion

// #region relay
/** The pool is that of the database with the outbox; the notifier has a ledger elsewhere. */
export function relayOf(pool: pg.Pool, notifier: ReturnType<typeof notifierOn>): OutboxRelay {
  const outbox = postgresOutbox({ client: pool });
  return outboxRelay({ outbox, notifier, onEvent: (event) => console.log(JSON.stringify(event)) });
}

/** Until the process is told to end; then it finishes what it has in hand. */
export async function relayUntilTold(relay: OutboxRelay): Promise<void> {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  await relay.run({ signal: stop.signal });
}
// #endregion
