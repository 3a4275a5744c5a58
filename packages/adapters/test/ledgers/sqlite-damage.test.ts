import {
  DELIVERY_STATES,
  isSettled,
  NOTIFICATION_STATES,
  notificationId,
  providerKey,
  type Ledger,
} from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { sqliteLedger, type SqliteDatabaseLike, type SqlValue } from '../../src/ledgers/sqlite.ts';
import { openDatabase } from '../../src/internal/sqlite/open-database.ts';
import { expanded, LEASE, markOf, newDelivery, newNotification, settleOf, targetOf } from './support.ts';

const DAY_MS = 86_400_000;

/** What no step writes anywhere: nothing, another type, a value out of all bounds. */
const VALUES: readonly SqlValue[] = [null, '', 'garbage', '[null]', '{}', -1, 0, 2, 1e300];
/** What names a row is not damaged: a row of another name is another row. */
const NAMES: ReadonlySet<string> = new Set(['seq', 'id', 'notification', 'delivery', 'page']);
const TABLES = [
  'notifications',
  'pages',
  'deliveries',
  'contents',
  'kept_evidence',
  'due_claims',
  'provider_messages',
  'clock',
];

/** Of a ledger that was just made, so that no column of a later schema is left out. */
async function columns(): Promise<readonly string[]> {
  const { ledger, database } = emptyLedger();
  await ledger.count();
  return TABLES.flatMap((name) =>
    all<{ name: string }>(database, `PRAGMA table_info(sendonce_${name})`)
      .filter((column) => !NAMES.has(column.name))
      .map((column) => `sendonce_${name}.${column.name}`),
  );
}

/** False when SQLite itself refuses it. */
function changes(database: SqliteDatabaseLike, sql: string): boolean {
  try {
    return all(database, `${sql} RETURNING 1`).length > 0;
  } catch (error) {
    expect(String(error)).toMatch(/constraint|malformed JSON/i);
    return false;
  }
}

function literal(value: SqlValue): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function all<Row>(database: SqliteDatabaseLike, sql: string): readonly Row[] {
  return database.prepare(sql).all() as Row[];
}

interface Scene {
  readonly ledger: Ledger;
  readonly database: SqliteDatabaseLike;
  elapse(ms: number): void;
}

function emptyLedger(): Scene {
  const database = openDatabase(':memory:');
  let now = 1_700_000_000_000;
  const ledger = sqliteLedger({ database, now: () => now, synchronous: 'normal', contentRetentionMs: DAY_MS });
  return { ledger, database, elapse: (ms) => void (now += ms) };
}

/** The deliveries of one notification in every state that a step leaves them in, two pages of another one, and evidence that waits. */
async function populated({ ledger, elapse }: Scene): Promise<void> {
  const ids = await expanded(ledger, 6);
  const of = (id: string) => ({ ids: [id], agesMs: [0], strayAfterMs: 60_000 });
  const [sent, retrying, parked, dispatching, processing] = ids as [string, string, string, string, string];
  for (const id of [sent, retrying, parked, dispatching, processing]) {
    const [granted] = await ledger.claim(of(id), { ...LEASE, requestId: `first-${id}` });
    if (granted?.kind !== 'granted' || id === processing) continue;
    await ledger.mark([{ ...markOf(id, granted.fence), dispatchMs: 10 * 60_000 }]);
    if (id === dispatching) continue;
    const settle = settleOf(id, granted.fence);
    const next = { kind: 'retry', delayMs: 1_000, provider: 'smtp', reason: 'busy' } as const;
    if (id === sent) await ledger.settle([settle]);
    if (id === retrying)
      await ledger.settle([{ ...settle, outcome: { kind: 'deferred', reason: 'busy' }, next, refund: true }]);
    if (id === parked)
      await ledger.settle([
        {
          ...settle,
          outcome: { kind: 'unknown', reason: 'reset' },
          next: { kind: 'unknown', reconcileInMs: 0, reason: 'reset' },
        },
      ]);
  }
  await ledger.record([
    { deliveryId: 'd_nobody', provider: 'smtp', providerMessageId: 'm', kind: 'delivered', at: 1, detail: null },
  ]);
  const id = notificationId('default', 'order', 'paged');
  await ledger.accept([{ ...newNotification(id, 'paged', []), page: null }]);
  for (const page of [0, 1])
    await ledger.seal([{ notificationId: id, page, targets: [targetOf(10 + page)], last: page === 1, fence: null }]);
  elapse(2_000);
}

type Grant = Extract<Awaited<ReturnType<Ledger['claim']>>[number], { kind: 'granted' }>;

async function send(ledger: Ledger, { id, fence, record: { provider } }: Grant): Promise<void> {
  const to = { provider, key: providerKey(id, provider) };
  const [mark] = await ledger.mark([{ ...markOf(id, fence), ...to }]);
  if (mark?.kind === 'go') await ledger.settle([{ ...settleOf(id, fence, mark.attempt), ...to }]);
}

/** A worker's whole day with whatever there is: claims, sends, fan-out, sweeps, decisions, housekeeping. */
async function carryOn({ ledger, elapse }: Scene, rounds = 3): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const requestId = `round-${round}`;
    const { unknown } = await ledger.sweep({ max: 100, reconcileLeaseMs: 1_000 });
    await ledger.reconcile(
      unknown.map(({ id, fence }) => ({ id, fence, decision: { kind: 'park', reason: 'nobody knows' } })),
    );
    for (const verdict of await ledger.claimNotifications({ due: 10, lateMs: 0 }, { ...LEASE, requestId })) {
      if (verdict.kind !== 'granted') continue;
      await ledger.add([
        {
          notificationId: verdict.id,
          fence: verdict.fence,
          page: verdict.record.cursor,
          deliveries: (verdict.page ?? []).map((target) => newDelivery(verdict.id, target)),
          sealTargets: null,
          leaseMs: 0,
        },
      ]);
    }
    for (const verdict of await ledger.claim({ due: 100, lateMs: 0 }, { ...LEASE, requestId: `send-${round}` }))
      if (verdict.kind === 'granted') await send(ledger, verdict);
    await ledger.list({ states: ['dead', 'failed', 'parked'], redrivesBelow: 5 });
    await ledger.list({ redrivesBelow: 5 });
    await ledger.list({});
    await ledger.listNotifications({});
    elapse(DAY_MS);
  }
}

/** Not over, and with no time at which it will be looked at again. */
async function stuck({ ledger, database }: Scene): Promise<readonly string[]> {
  const rows = (table: string): readonly { id: string; state: string }[] =>
    all(database, `SELECT id, state FROM sendonce_${table}`);
  const [deliveries, notifications] = [rows('deliveries'), rows('notifications')];
  const found = await ledger.find(deliveries.map(({ id }) => id));
  return [
    ...deliveries.filter(({ state }, i) => !SETTLED.has(found[i]?.state ?? state)),
    ...notifications.filter(({ state }) => state === 'accepted' || state === 'expanding' || !isKnown(state)),
  ].map(({ id }) => id);
}
const SETTLED: ReadonlySet<string> = new Set(DELIVERY_STATES.filter(isSettled));

function isKnown(state: string): boolean {
  return (NOTIFICATION_STATES as readonly string[]).includes(state);
}

/** What somebody is told of: the rows that count as unreadable, and the lists that nobody finished. */
async function seen({ ledger, database }: Scene): Promise<ReadonlySet<string>> {
  const lost = all<{ id: string }>(database, 'SELECT id FROM sendonce_unreadable');
  expect((await ledger.count()).unreadable).toBe(lost.length);
  const unsealed = (await ledger.listNotifications({ sealed: false })).items;
  return new Set([...lost, ...unsealed].map(({ id }) => id));
}

/** After the damage: everything else goes on, and what does not is counted. */
async function judge(scene: Scene, damage: string): Promise<void> {
  const healthy = notificationId('default', 'order', 'healthy');
  await scene.ledger.accept([newNotification(healthy, 'healthy', [targetOf(20), targetOf(21)])]);
  await carryOn(scene);
  const told = await seen(scene);
  expect(
    (await stuck(scene)).filter((id) => !told.has(id)),
    damage,
  ).toEqual([]);
  const { items } = await scene.ledger.list({ notificationId: healthy });
  expect(
    items.map(({ state }) => state),
    damage,
  ).toEqual(['sent', 'sent']);
  expect(await scene.ledger.findNotifications([healthy]), damage).toMatchObject([{ state: 'done' }]);
}

async function damagedScene(damage: (database: SqliteDatabaseLike) => boolean): Promise<Scene | null> {
  const scene = emptyLedger();
  await populated(scene);
  return damage(scene.database) ? scene : null;
}

const COLUMNS = await columns();

describe('a ledger without damage', () => {
  test('counts nothing as unreadable in any state, and has nothing left in the end', async () => {
    const scene = emptyLedger();
    await populated(scene);
    const { deliveries, notifications } = await scene.ledger.count();
    const states = Object.entries({ ...deliveries, ...notifications }).filter(([, n]) => n > 0);
    expect(states.map(([state]) => state)).toEqual(STATES_MADE);
    expect(await seen(scene)).toEqual(new Set());
    const unfinished = newNotification(notificationId('default', 'order', 'unfinished'), 'unfinished', []);
    await scene.ledger.accept([{ ...unfinished, page: null }]);
    expect(await scene.ledger.count()).toMatchObject({ unsealed: 1, unreadable: 0 });
    await scene.ledger.cancel([{ id: unfinished.id, by: 'a test', why: 'never finished' }]);
    await judge(scene, 'none');
    expect(await stuck(scene)).toEqual([]);
    expect((await scene.ledger.count()).deliveries).toMatchObject({ sent: 8, parked: 2 });
  });
});
const STATES_MADE = [
  'queued',
  'processing',
  'dispatching',
  'retry-scheduled',
  'unknown',
  'sent',
  'expanding',
  'expanded',
];

describe('a damaged value', () => {
  test.for(COLUMNS)('in %s holds nobody up, and what it stops is counted', async (place) => {
    const [table, column] = place.split('.') as [string, string];
    for (const value of VALUES) {
      const sql = `UPDATE ${table} SET ${column} = ${literal(value)}`;
      const scene = await damagedScene((database) => changes(database, sql));
      if (scene !== null) await judge(scene, sql);
    }
  });

  const FIELDS = [
    'attempts',
    'attempts[0]',
    'attempts[0].outcome',
    'declarations',
    'fence',
    'dueAt',
    'lapses',
    'charged',
  ];

  test.for(FIELDS)('in the field %s of a delivery holds nobody up, and what it stops is counted', async (field) => {
    for (const value of VALUES) {
      const sql = `UPDATE sendonce_deliveries SET body = json_set(body, '$.${field}', ${literal(value)})`;
      const scene = await damagedScene((database) => changes(database, sql));
      if (scene !== null) await judge(scene, sql);
    }
  });
});

describe('a delivery whose row says to be in another state', () => {
  test.for(DELIVERY_STATES)('%s is taken up, settled or counted', async (state) => {
    const sql = `UPDATE sendonce_deliveries SET state = '${state}'`;
    await judge((await damagedScene((database) => changes(database, sql)))!, sql);
  });
});

describe('rows that are gone', () => {
  test.for(TABLES)('from sendonce_%s hold nobody up, and what they stop is counted', async (table) => {
    const sql = `DELETE FROM sendonce_${table}`;
    await judge((await damagedScene((database) => changes(database, sql)))!, sql);
  });

  test('as pages of recipients that were to be expanded end their notification where it is seen', async () => {
    const scene = (await damagedScene((database) => changes(database, 'DELETE FROM sendonce_pages WHERE page = 1')))!;
    await carryOn(scene);
    const { items } = await scene.ledger.listNotifications({ states: ['failed'] });
    expect(items).toMatchObject([{ key: 'paged', deliveries: 1, reason: expect.stringContaining('page 1') }]);
  });
});

test('a message that is gone is never sent as an empty one', async () => {
  const scene = (await damagedScene((database) => changes(database, 'DELETE FROM sendonce_contents')))!;
  const { ledger, elapse } = scene;
  elapse(60_000);
  const granted = await ledger.claim({ due: 100, lateMs: 0 }, { ...LEASE, requestId: 'r' });
  expect(granted.map((verdict) => verdict.kind === 'granted' && verdict.record.message)).toEqual([null, null]);
  expect((await ledger.count()).unreadable).toBe(1);
});

describe('a record that cannot be read', () => {
  const QUEUED = 'sendonce_deliveries SET';
  const DAMAGE: readonly (readonly [what: string, sql: string])[] = [
    ['by its body', `${QUEUED} body = 'garbage'`],
    ['by what never changes', `${QUEUED} fixed = '[]'`],
    ['by its state', `${QUEUED} state = 'sent'`],
    ['by a time before all times', `${QUEUED} work_at = -1`],
    ['by a time that is none', `${QUEUED} work_at = 'garbage'`],
    ['by its notification', `sendonce_notifications SET body = 'garbage'`],
  ];

  test.each(DAMAGE)('%s is no work that waits, while what can be read is', async (_what, sql) => {
    const { ledger, database, elapse } = emptyLedger();
    await expanded(ledger, 7, 'damaged');
    database.exec(`UPDATE ${sql}`);
    elapse(60_000);
    expect((await ledger.count()).oldestDueMs).toBe(0);
    await expanded(ledger, 1, 'sound');
    elapse(5_000);
    expect((await ledger.count()).oldestDueMs).toBe(5_000);
  });

  test('and is still to be routed is no work that waits either', async () => {
    const { ledger, database, elapse } = emptyLedger();
    await populated({ ledger, database, elapse });
    database.exec(`UPDATE sendonce_deliveries SET work_at = NULL; UPDATE sendonce_notifications SET body = 'garbage'`);
    elapse(60_000);
    expect((await ledger.count()).oldestDueMs).toBe(0);
  });
});

describe('the data of a notification', () => {
  test('that are lost are damage, and not handed to a content function as nothing', async () => {
    const { ledger, database } = emptyLedger();
    const [id] = await expanded(ledger, 1);
    database.exec('UPDATE sendonce_notifications SET data = NULL');
    const scene = sqliteLedger({ database, now: () => 1_800_000_000_000 });
    expect(await scene.claim({ due: 10, lateMs: 0 }, { ...LEASE, requestId: 'r' })).toEqual([]);
    expect(await scene.count()).toMatchObject({ unreadable: 1, oldestDueMs: 0 });
    expect(await scene.find([id!])).toEqual([null]);
    expect(await scene.findNotifications([notificationId('default', 'order', 'k1')])).toEqual([null]);
  });

  test('that are lost while a dead letter still needs them are damage as well', async () => {
    const scene = emptyLedger();
    const { ledger, database } = scene;
    await expanded(ledger, 1);
    const [granted] = await ledger.claim({ due: 1, lateMs: 0 }, { ...LEASE, requestId: 'r' });
    if (granted?.kind !== 'granted') throw new Error('not granted');
    await ledger.mark([markOf(granted.id, granted.fence)]);
    const outcome = { kind: 'rejected', scope: 'message', reason: 'no' } as const;
    await ledger.settle([{ ...settleOf(granted.id, granted.fence), outcome, next: { kind: 'failed', reason: 'no' } }]);
    const id = notificationId('default', 'order', 'k1');
    expect(await ledger.findNotifications([id])).toMatchObject([{ state: 'done', data: { order: 'k1' } }]);
    database.exec('UPDATE sendonce_notifications SET data = NULL');
    expect(await ledger.findNotifications([id])).toEqual([null]);
  });
});
