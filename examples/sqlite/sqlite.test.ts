import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { open, placeOrder, restored } from './sqlite.ts';

const contacts = [{ name: 'Ann', email: 'ann@example.com' }];

test('an order and its notification are stored together, or neither is, and a restore is told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-'));
  const file = join(folder, 'shop.db');
  const database = new Database(file);
  database.exec('CREATE TABLE orders (id TEXT PRIMARY KEY)');
  const notifier = open(file);
  await placeOrder(notifier, database, { id: 'o-1', contacts });
  // The second insert of this order fails, and its notification with it.
  await expect(placeOrder(notifier, database, { id: 'o-1', contacts: [] })).rejects.toThrow('UNIQUE');
  expect((await notifier.status()).notifications.accepted).toBe(1);
  await notifier.close();
  database.close();
  await restored(file);
  rmSync(folder, { recursive: true });
});
