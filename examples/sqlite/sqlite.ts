import { markRestored, sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { createNotifier, type Notifier } from '@sendonce/core';
import Database from 'libsql';
import config from '../first-notifier/notify.config.ts';

type Orders = Notifier<(typeof config)['notifications']>;
interface Order {
  readonly id: string;
  readonly contacts: { name: string; email: string }[];
}

// #region open
/** The ledger in the file of the application, on a connection of its own that the application's library opened. */
export function open(file: string): Orders {
  return createNotifier({ ...config, ledger: sqliteLedger({ database: new Database(file) }) });
}
// #endregion

// #region outbox
/** The order and what has to be told about it, or neither. */
export async function placeOrder(notifier: Orders, database: Database.Database, order: Order): Promise<void> {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.prepare('INSERT INTO orders (id) VALUES (?)').run(order.id);
    await notifier.publish('orderPlaced', order, { transaction: database });
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
// #endregion

// #region restore
/** After a copy was put in place of the ledger, and before a worker starts. */
export async function restored(file: string): Promise<void> {
  const twoMinutes = 120_000;
  await markRestored({ file }, twoMinutes);
}
// #endregion
