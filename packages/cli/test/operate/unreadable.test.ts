import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { notificationId } from '@sendonce/core';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runShow } from '../../src/operate/dlq/run-show.ts';
import { runReplay } from '../../src/operate/replay/run-replay.ts';
import { runWhy } from '../../src/operate/why/run-why.ts';
import { here } from './support/here.ts';
import { ledgerFolder } from './support/ledger-folder.ts';
import { all, DOWN, people, shop } from './support/shop.ts';

const { file, config } = ledgerFolder();
const ledger = sqliteLedger({ file, synchronous: 'normal' });
afterAll(() => ledger.close());

/** A notification with one delivery, and what was damaged of it. */
const DAMAGE: Readonly<Record<string, string>> = {
  delivery: `UPDATE sendonce_deliveries SET body = 'garbage' WHERE id = ?`,
  data: `UPDATE sendonce_notifications SET data = 'garbage' WHERE id = ?`,
  body: `UPDATE sendonce_notifications SET body = '{' WHERE id = ?`,
};
const deliveries = new Map<string, string>();
const idOf = (key: string): string => notificationId('default', 'news', key);

beforeAll(async () => {
  const { notifier, work } = shop(ledger, () => DOWN);
  for (const key of Object.keys(DAMAGE)) await notifier.publish('news', {}, { key, recipients: people(key, 1) });
  await work();
  for (const { id, notificationId: parent } of await all(ledger))
    for (const key of Object.keys(DAMAGE)) if (parent === idOf(key)) deliveries.set(key, id);
  const database = new Database(file);
  for (const [key, sql] of Object.entries(DAMAGE))
    database.prepare(sql).run(key === 'delivery' ? deliveries.get(key) : idOf(key));
  database.close();
});

const REFUSAL = {
  code: 'LEDGER_CORRUPT',
  message: expect.stringMatching(/ is in this ledger \(.*\), but its record cannot be read: .*mend the row/),
};

describe('a record that is there and cannot be read is told as that, and not as absent:', () => {
  const COMMANDS: Readonly<Record<string, (id: string) => Promise<number>>> = {
    why: (id) => runWhy(id, { config }),
    'dlq show': (id) => runShow(id, { config }),
    'replay-dlq': (id) => runReplay({ flags: { config, yes: true }, ids: [id], again: '' }),
  };

  test.for(Object.entries(COMMANDS))('a delivery, by %s', async ([, run]) => {
    await expect(here(() => run(deliveries.get('delivery')!))).rejects.toMatchObject(REFUSAL);
    await expect(here(() => run('d_0000000000000000000000'))).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' });
  });

  test.each(['data', 'body'])('a notification whose %s are damaged, by its id and by its key', async (key) => {
    for (const asked of [idOf(key), key])
      await expect(here(() => runWhy(asked, { config }))).rejects.toMatchObject(REFUSAL);
  });
});

test('of what is not found it is said that records cannot be read, where there are any', async () => {
  const nowhere = (): Promise<unknown> => here(() => runWhy('n_0000000000000000000000', { config }));
  const words = 'cannot be read, and it may be one of them';
  await expect(nowhere()).rejects.toThrow(expect.objectContaining({ message: expect.not.stringContaining(words) }));
  const database = new Database(file);
  database.exec('UPDATE sendonce_notifications SET open = -1');
  database.close();
  await expect(nowhere()).rejects.toThrow(`3 records of this ledger ${words}`);
});
