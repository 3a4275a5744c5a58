import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  createNotifier,
  fingerprint,
  notification,
  type Ledger,
  type NotificationType,
  type Notifier,
  type StandardSchema,
  type TargetInput,
} from '../../src/index.ts';
import { manualClock, memoryLedger, memoryProvider, memoryQueue, seededRandom } from '../../src/memory/index.ts';
import { dead } from '../support/dead.ts';

interface Order {
  readonly id: string;
  readonly total?: number;
}

const clock = manualClock(1_700_000_000_000);
const code = (of: string, message = /./) =>
  expect.objectContaining({ code: of, message: expect.stringMatching(message) });

function make(order: Partial<NotificationType<Order>> = {}, ledger: Ledger = memoryLedger({ clock })) {
  const preset: NotificationType<Order> = {
    class: 'transactional',
    key: ({ id }) => id,
    route: () => [],
    content: () => ({}),
  };
  return createNotifier({
    ledger,
    channels: { email: { providers: [memoryProvider({ clock, name: 'p0' })] } },
    notifications: { order: { ...preset, ...order } },
    worker: { chunk: 10 },
    clock,
    random: seededRandom(1),
  });
}

const people = (count: number): TargetInput[] =>
  Array.from({ length: count }, (_, i) => ({ channel: 'email', to: `p${i}@example.org` }));

describe('publish', () => {
  test('accepts once, and says that it was accepted before when it is repeated', async () => {
    const notifier = make();
    const first = await notifier.publish('order', { id: 'o-1' });
    expect(first).toMatchObject({ kind: 'accepted', record: { state: 'accepted', key: 'o-1', tenant: 'default' } });
    expect(await notifier.publish('order', { id: 'o-1' })).toMatchObject({ kind: 'repeated', id: first.id });
    expect((await notifier.status()).notifications.accepted).toBe(1);
  });

  test('keeps tenants, types and keys apart', async () => {
    const notifier = make();
    const ids = await Promise.all([
      notifier.publish('order', { id: 'o-1' }),
      notifier.publish('order', { id: 'o-1' }, { tenant: 'acme' }),
      notifier.publish('order', { id: 'o-1' }, { key: 'o-2' }),
    ]);
    expect(new Set(ids.map(({ id }) => id)).size).toBe(3);
  });

  test('refuses another body under the same key, and the error names both', async () => {
    const notifier = make();
    const { record } = await notifier.publish('order', { id: 'o-1', total: 1 });
    const refused = notifier.publish('order', { id: 'o-1', total: 2 });
    await expect(refused).rejects.toThrow(
      code('NOTIFICATION_CONFLICT', /^\(default, order, o-1\) was accepted at 2023-11-14T22:13:20.000Z/),
    );
    await expect(refused).rejects.toThrow(record.fingerprint);
    await expect(refused).rejects.toThrow(fingerprint([{ id: 'o-1', total: 2 }, null]));
    expect(await notifier.find(record.id)).toMatchObject({ data: { id: 'o-1', total: 1 } });
  });

  test.each([
    { what: 'another time to send', options: { sendAt: 1_800_000_000_000 } },
    { what: 'other recipients', options: { recipients: people(1) } },
  ])('takes $what for another body', async ({ options }) => {
    const notifier = make();
    await notifier.publish('order', { id: 'o-1' });
    await expect(notifier.publish('order', { id: 'o-1' }, options)).rejects.toThrow(code('NOTIFICATION_CONFLICT'));
  });

  test('takes the same body with its fields in another order for the same', async () => {
    const notifier = make();
    await notifier.publish('order', { id: 'o-1', total: 1 });
    expect(await notifier.publish('order', { total: 1, id: 'o-1' })).toMatchObject({ kind: 'repeated' });
  });

  test.each<[what: string, publish: (of: ReturnType<typeof make>) => Promise<unknown>, expected: unknown]>([
    [
      'an unknown type',
      (of) => of.publish('ordr' as 'order', { id: 'o-1' }),
      code('TYPE_UNKNOWN', /'ordr' is not a notification type; known: order\. Did you mean 'order'\?$/),
    ],
    ['an empty key', (of) => of.publish('order', { id: '' }), code('KEY_MISSING', /'order' needs a key.*got ''$/)],
    [
      'a cycle in the data',
      (of) => of.publish('order', cyclic() as Order),
      code('DATA_UNSERIALIZABLE', /'order' cannot be stored as JSON/),
    ],
    ['a bigint in the data', (of) => of.publish('order', { id: 'o', total: 1n as never }), code('DATA_UNSERIALIZABLE')],
    [
      'a date that is none',
      (of) => of.publish('order', { id: 'o' }, { sendAt: new Date('soon') }),
      code('OPTION_INVALID', /sendAt must be a valid Date/),
    ],
    [
      'an expiry that is no number',
      (of) => of.publish('order', { id: 'o' }, { expiresInMs: NaN }),
      code('OPTION_INVALID', /more than 0 ms, up to 100 years, got NaN/),
    ],
    [
      'an expiry in the past',
      (of) => of.publish('order', { id: 'o' }, { expiresInMs: -1 }),
      code('OPTION_INVALID', /got -1/),
    ],
  ])('refuses %s, and writes nothing', async (_what, publish, expected) => {
    const notifier = make();
    await expect(publish(notifier)).rejects.toThrow(expected);
    expect((await notifier.status()).notifications.accepted).toBe(0);
  });

  test('needs recipients where the type has no route', async () => {
    const notifier = make({ route: undefined as never });
    await expect(notifier.publish('order', { id: 'o-1' })).rejects.toThrow(
      code('RECIPIENTS_MISSING', /'order' has no route/),
    );
  });

  test('stores what JSON keeps of the data: the route sees the same on every ledger', async () => {
    const notifier = make();
    const { record } = await notifier.publish('order', { id: 'o-1', at: new Date(0), nothing: undefined } as Order);
    expect(record.data).toEqual({ id: 'o-1', at: '1970-01-01T00:00:00.000Z' });
  });

  test('counts the expiry from the time to send', async () => {
    const notifier = make();
    const { record } = await notifier.publish(
      'order',
      { id: 'o-1' },
      { sendAt: new Date(1_800_000_000_000), expiresInMs: 5_000 },
    );
    expect(record).toMatchObject({ sendAt: 1_800_000_000_000, dueAt: 1_800_000_000_000, expiresAt: 1_800_000_005_000 });
  });
});

describe('a notifier that was closed', () => {
  const note = { by: 'ops', why: 'test' };
  /** What each method may be called with. */
  const CALLS: { [Method in Exclude<keyof Notifier, 'close'>]: readonly unknown[] } = {
    publish: ['order', { id: 'o-1' }],
    publishMany: ['order', [{ data: { id: 'o-1' } }]],
    send: [{ key: 'k', recipients: people(1), content: { text: 'x' } }],
    cancel: [['n_1'], note],
    suppress: [[{ channel: 'email', recipientId: 'p0@example.org', topic: null, suppressed: true }]],
    block: [[{ scope: { kind: 'all' }, blocked: true }]],
    replay: [['d_1'], note],
    record: [[]],
    status: [],
    find: ['n_1'],
    history: ['d_1'],
    worker: [],
  };

  test.each(Object.entries(CALLS))('refuses %s', async (method, args) => {
    const notifier = make();
    await notifier.close();
    await notifier.close();
    const call = async (): Promise<unknown> =>
      (notifier as unknown as Record<string, (...of: readonly unknown[]) => unknown>)[method]?.(...args);
    await expect(call()).rejects.toThrow(code('NOTIFIER_CLOSED'));
  });
});

describe('publishMany', () => {
  test('accepts the good items in one ledger call and has the errors in their places', async () => {
    const accepts: number[] = [];
    const ledger = memoryLedger({ clock });
    const counted: Ledger = {
      ...ledger,
      accept: (batch, options) => (accepts.push(batch.length), ledger.accept(batch, options)),
    };
    const notifier = make({}, counted);
    await notifier.publish('order', { id: 'taken', total: 1 });
    accepts.length = 0;
    const results = await notifier.publishMany('order', [
      { data: { id: 'o-1' } },
      { data: { id: '' } },
      { data: { id: 'taken', total: 2 } },
      { data: { id: 'o-2' } },
      { data: { id: 'o-1' } },
    ]);
    expect(results).toMatchObject([
      { kind: 'accepted' },
      { kind: 'failed', error: { code: 'KEY_MISSING' } },
      { kind: 'failed', error: { code: 'NOTIFICATION_CONFLICT' } },
      { kind: 'accepted' },
      { kind: 'repeated' },
    ]);
    expect(accepts).toEqual([4]);
  });

  test('loses no good item to one whose recipients cannot be read', async () => {
    const notifier = make();
    const broken = function* () {
      yield* people(25);
      throw new Error('cursor lost');
    };
    const results = await notifier.publishMany('order', [
      { data: { id: 'o-1' }, recipients: broken() },
      { data: { id: 'o-2' }, recipients: people(25) },
    ]);
    expect(results).toMatchObject([
      {
        kind: 'failed',
        error: { code: 'DATA_INVALID', message: expect.stringMatching(/\(default, order, o-1\).*Error: cursor lost/) },
      },
      { kind: 'accepted', record: { sealed: true, targets: 25 } },
    ]);
    expect((await notifier.status()).unsealed).toBe(1);
  });

  test('of nothing asks nothing', async () => {
    expect(await make({}, dead).publishMany('order', [])).toEqual([]);
  });

  test('does not mix transactions', async () => {
    const items = [{ data: { id: 'a' }, transaction: {} }, { data: { id: 'b' } }];
    await expect(make().publishMany('order', items)).rejects.toThrow(
      code('OPTION_INVALID', /same transaction, or none/),
    );
  });
});

describe('a transaction', () => {
  test('is handed to the ledger as it is', async () => {
    const seen: unknown[] = [];
    const ledger = memoryLedger({ clock });
    const joining: Ledger = {
      ...ledger,
      accept: (batch, options) => (seen.push(options?.transaction), ledger.accept(batch)),
    };
    const transaction = { of: 'the caller' };
    await make({}, joining).publish('order', { id: 'o-1' }, { transaction });
    expect(seen).toEqual([transaction]);
  });

  test.each<[what: string, recipients: () => TargetInput[] | Iterable<TargetInput>]>([
    ['more recipients than fit a page', () => people(11)],
    ['recipients from an iterable', () => new Set(people(1))],
  ])('does not take %s: their pages would not be part of it', async (_what, recipients) => {
    const published = make().publish('order', { id: 'o-1' }, { transaction: {}, recipients: recipients() });
    await expect(published).rejects.toThrow(code('OPTION_INVALID', /an array of at most 10/));
  });
});

describe('a schema', () => {
  const byHand: StandardSchema<Order> = {
    '~standard': {
      version: 1,
      vendor: 'by-hand',
      validate: async (value) => {
        const { id } = value as Partial<Order>;
        if (typeof id === 'string') return { value: { id: id.trim() } };
        return { issues: [{ message: 'expected a string', path: ['order', { key: 'id' }] }, { message: 'hopeless' }] };
      },
    },
  };
  const byZod: StandardSchema<Order> = z.object({
    id: z.string().trim(),
    total: z.number().optional(),
  }) as StandardSchema<Order>;

  test.each([
    { name: 'written by hand', schema: byHand, problem: /order\.id: expected a string; hopeless$/ },
    { name: 'of zod', schema: byZod, problem: /id: Invalid input: expected string, received number/ },
  ])('$name checks the data before they are accepted', async ({ schema, problem }) => {
    const notifier = make({ schema });
    await expect(notifier.publish('order', { id: 7 as never })).rejects.toThrow(code('DATA_INVALID', problem));
    expect((await notifier.status()).notifications.accepted).toBe(0);
    // What the schema made of the data is what is stored, and what the key is made of.
    expect(await notifier.publish('order', { id: '  o-1 ' })).toMatchObject({
      record: { data: { id: 'o-1' }, key: 'o-1' },
    });
  });

  test('that throws is an error of the item, with its cause', async () => {
    const cause = new Error('schema is broken');
    const schema: StandardSchema<Order> = {
      '~standard': { version: 1, vendor: 'x', validate: () => Promise.reject(cause) },
    };
    await expect(make({ schema }).publish('order', { id: 'o-1' })).rejects.toMatchObject({
      code: 'DATA_INVALID',
      cause,
    });
  });
});

describe('a schema that takes its time and answers with an object that it keeps', () => {
  const kept = { id: '' };
  const slow: StandardSchema<Order> = {
    '~standard': {
      version: 1,
      vendor: 'x',
      validate: async (value) => {
        const { id } = value as Order;
        await Promise.resolve();
        if (id === 'own') return { value: { id } };
        kept.id = id;
        return { value: kept };
      },
    },
  };

  test('has none of its items stored with the data of another, and loses nobody else', async () => {
    const notifier = make({ schema: slow });
    const results = await notifier.publishMany('order', [
      { data: { id: 'a' } },
      { data: { id: 'own' } },
      { data: { id: 'b' } },
    ]);
    expect(results).toMatchObject([
      { kind: 'failed', error: { code: 'DATA_INVALID' } },
      { kind: 'accepted', record: { data: { id: 'own' } } },
      { kind: 'failed', error: { code: 'DATA_INVALID' } },
    ]);
    expect((await notifier.status()).notifications.accepted).toBe(1);
  });

  test('may answer with what it was given, also twice', async () => {
    const same: StandardSchema<Order> = {
      '~standard': { version: 1, vendor: 'x', validate: async (value) => ({ value: value as Order }) },
    };
    const data = { id: 'a' };
    const results = await make({ schema: same }).publishMany('order', [{ data }, { data, key: 'b' }]);
    expect(results.map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
  });
});

describe('send', () => {
  test('needs no type of its own', async () => {
    const notifier = make();
    const options = { key: 'k-1', recipients: people(2), content: { subject: 'Hi', text: 'there' } };
    const first = await notifier.send(options);
    expect(first).toMatchObject({
      kind: 'accepted',
      record: { type: 'direct.transactional', class: 'transactional', targets: 2 },
    });
    expect(await notifier.send(options)).toMatchObject({ kind: 'repeated', id: first.id });
    await expect(notifier.send({ ...options, content: { text: 'other' } })).rejects.toThrow(
      code('NOTIFICATION_CONFLICT'),
    );
    expect(await notifier.send({ ...options, class: 'security' })).toMatchObject({
      kind: 'accepted',
      record: { class: 'security' },
    });
  });
});

describe('a producer', () => {
  const pages = (ledger: Ledger, perSeal: (page: number) => Promise<void>): Ledger => ({
    ...ledger,
    async seal(batch) {
      await perSeal(batch[0]?.page ?? 0);
      return ledger.seal(batch);
    },
  });

  test('that dies while it publishes leaves an unsealed notification; publishing it again completes it', async () => {
    const ledger = memoryLedger({ clock });
    const dying = make(
      {},
      pages(ledger, async (page) => (page < 2 ? undefined : Promise.reject(new Error('killed')))),
    );
    await expect(dying.publish('order', { id: 'o-1' }, { recipients: people(45) })).rejects.toThrow('killed');
    const again = make({}, ledger);
    expect((await again.status()).unsealed).toBe(1);
    const { items } = await ledger.listNotifications({ sealed: false });
    expect(items).toMatchObject([{ key: 'o-1', pages: 2, targets: 20, sealed: false }]);
    const done = await again.publish('order', { id: 'o-1' }, { recipients: people(45) });
    expect(done).toMatchObject({ kind: 'repeated', record: { sealed: true, pages: 5, targets: 45 } });
    expect((await again.status()).unsealed).toBe(0);
  });

  test('that stores recipients while another one does so too is told, instead of believing that all are stored', async () => {
    const ledger = memoryLedger({ clock });
    const notifier = make({}, ledger);
    let goOn = (): void => undefined;
    async function* slow(): AsyncGenerator<TargetInput> {
      for (const [i, each] of people(45).entries()) {
        if (i === 25) await new Promise<void>((resolve) => (goOn = resolve));
        yield each;
      }
    }
    const first = notifier.publish('order', { id: 'o-1' }, { recipients: slow() });
    const refused = expect(first).rejects.toThrow(code('PUBLISH_INTERRUPTED', /page 2 .* was refused \(fenced\)/));
    await clock.advance(0);
    const dying = make(
      {},
      pages(ledger, async (page) => (page < 1 ? undefined : Promise.reject(new Error('killed')))),
    );
    await expect(dying.publish('order', { id: 'o-1' }, { recipients: new Set(people(45)) })).rejects.toThrow('killed');
    goOn();
    await refused;
    expect(await notifier.publish('order', { id: 'o-1' }, { recipients: new Set(people(45)) })).toMatchObject({
      record: { sealed: true, targets: 45 },
    });
  });

  test('that finds other recipients sealed than its own is told so', async () => {
    const ledger = memoryLedger({ clock });
    const swapping = pages(ledger, async (page) => {
      if (page !== 1) return;
      await make({}, ledger).publish('order', { id: 'o-1' }, { recipients: new Set(people(3)) });
    });
    const published = make({}, swapping).publish('order', { id: 'o-1' }, { recipients: new Set(people(45)) });
    await expect(published).rejects.toThrow(code('NOTIFICATION_SEALED', /sealed with other recipients on page 1/));
  });

  test('that gives 100,000 recipients one by one never has more than a page of them in hand', async () => {
    let given = 0;
    let stored = 0;
    let most = 0;
    const ledger = memoryLedger({ clock });
    const counted: Ledger = {
      ...ledger,
      seal: async (batch) => {
        const verdicts = await ledger.seal(batch);
        stored += batch[0]?.targets.length ?? 0;
        return verdicts;
      },
    };
    async function* source(): AsyncGenerator<TargetInput> {
      for (; given < 100_000; most = Math.max(most, given - stored)) {
        yield { channel: 'email', to: `p${given}@example.org` };
        given += 1;
      }
    }
    const { record } = await make({}, counted).publish('order', { id: 'o-1' }, { recipients: source() });
    expect(record).toMatchObject({ sealed: true, targets: 100_000, pages: 10_000 });
    expect(most).toBeLessThanOrEqual(11);
  });
});

describe('the wake of an accepted notification', () => {
  test('is only a hint: a queue that refuses it changes nothing', async () => {
    const queue = { ...memoryQueue({ clock }), enqueue: () => Promise.reject(new Error('queue is down')) };
    const notifier = createNotifier({
      ledger: memoryLedger({ clock }),
      queue,
      channels: { email: { providers: [memoryProvider({ clock })] } },
      notifications: {
        order: notification<Order>({
          class: 'transactional',
          key: ({ id }) => id,
          route: () => [],
          content: () => ({}),
        }),
      },
      clock,
    });
    expect(await notifier.publish('order', { id: 'o-1' })).toMatchObject({ kind: 'accepted' });
  });
});

function cyclic(): unknown {
  const data: Record<string, unknown> = { id: 'o-1' };
  data['self'] = data;
  return data;
}
