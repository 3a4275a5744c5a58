import { describe, expect, test } from 'vitest';
import type { MessageContent, TargetInput } from '../../src/index.ts';
import { expectHonest } from '../support/audit.ts';
import { world, type World, type WorldOptions } from '../support/world.ts';

const PEOPLE = 20;

async function sent(options: WorldOptions, people = PEOPLE): Promise<World> {
  const made = world(options);
  made.start();
  await made.notifier.publish('order', { id: 'o-1', people });
  await made.untilDone(3_600_000);
  return made;
}

const textsOf = (made: World) => made.mailbox().map(({ to, content }) => [to, content['text']]);
const own = Array.from({ length: PEOPLE }, (_, i) => [`p${i}@example.org`, `for p${i}@example.org`]);

describe('content that keeps what it returns', () => {
  const shared: { text?: string; parts: { to?: string }[] } = { parts: [{}] };
  const fill = (to: string): MessageContent => {
    shared.text = `for ${to}`;
    shared.parts[0]!.to = to;
    return shared;
  };
  const later = (to: string) => new Promise<MessageContent>((resolve) => setImmediate(() => resolve(fill(to))));

  test.each<[how: string, content: (to: string) => MessageContent | Promise<MessageContent>]>([
    ['at once', fill],
    ['in a promise', async (to) => fill(to)],
    ['in a promise that takes its time', later],
    ['in a thenable of its own', (to) => ({ then: (done: (of: MessageContent) => void) => done(fill(to)) })],
  ])('and gives it %s gives nobody the text of another', async (_how, content) => {
    const made = await sent({ order: { content: (_order, { to }) => content(to) } });
    expect(textsOf(made).sort()).toEqual([...own].sort());
    for (const { to, content: got } of made.mailbox()) expect(got['parts']).toEqual([{ to }]);
    await expectHonest(made, PEOPLE);
  });

  /** Each waits for something from outside, and the calls of a batch wait together. */
  const SLOW: readonly [how: string, content: (world: World, to: string) => Promise<MessageContent>][] = [
    ['after a wait', async ({ clock }, to) => (await clock.sleep(50), fill(to))],
    [
      'before a wait',
      async ({ clock }, to) => {
        const made = fill(to);
        await clock.sleep(50);
        return made;
      },
    ],
    [
      'after a wait for most, and at once for some',
      async ({ clock }, to) => (/[37]@/.test(to) || (await clock.sleep(50)), fill(to)),
    ],
    [
      'in a new object around an old one',
      async ({ clock }, to) => (await clock.sleep(50), { ...fill(to), parts: shared.parts }),
    ],
    ['after waits of different lengths', async ({ clock }, to) => (await clock.sleep(to.length * 7), fill(to))],
  ];

  test.each(SLOW)('and fills it %s gives nobody the text of another, and tells', async (_how, content) => {
    for (const queue of [true, false]) {
      const made = world({
        queue,
        order: { content: async (_order, { to }) => content(made, to) },
        worker: { batch: 8 },
      });
      const { events } = made.start();
      await made.notifier.publish('order', { id: 'o-1', people: PEOPLE });
      await made.untilDone(3_600_000);
      expect(textsOf(made).sort()).toEqual([...own].sort());
      for (const { to, content: got } of made.mailbox()) expect(got['parts']).toEqual([{ to }]);
      await expectHonest(made, PEOPLE);
      const told = events.filter(({ kind }) => kind === 'function.shared');
      expect(told).toEqual([expect.objectContaining({ type: 'order' })]);
    }
  });

  test('and what messages have in common is asked for side by side when it is frozen', async () => {
    const logo = Object.freeze({ name: 'logo.svg', lines: Object.freeze(['<svg/>']) });
    const content = async (_order: unknown, { to }: { to: string }): Promise<MessageContent> => {
      await made.clock.sleep(200);
      return { text: `for ${to}`, files: [logo] };
    };
    const made = world({ order: { content } });
    const { events } = made.start();
    await made.notifier.publish('order', { id: 'o-1', people: PEOPLE });
    // One after the other they would need four seconds.
    await made.untilDone(2_000);
    expect(textsOf(made).sort()).toEqual([...own].sort());
    expect(events.map(({ kind }) => kind)).not.toContain('function.shared');
  });

  test('and changes it after a failure sends the retry as it was made', async () => {
    const made = world({ order: { content: (_order, { to }) => fill(to) } });
    made.providers[0]?.answerWith(({ nth }) => (nth < 3 ? { reply: { kind: 'deferred', reason: '429' } } : {}));
    made.start();
    await made.notifier.publish('order', { id: 'o-1', people: 5 });
    await made.untilDone(3_600_000);
    expect(textsOf(made).sort()).toEqual(own.slice(0, 5).sort());
  });
});

describe('a route that keeps what it returns', () => {
  const kept: TargetInput[] = [];
  const fill = (id: string): TargetInput[] => {
    kept.splice(0, kept.length, { channel: 'email', to: `${id}@example.org` });
    return kept;
  };
  test.each<[how: string, route: (world: World, id: string) => Promise<Iterable<TargetInput>>]>([
    ['after a wait', async ({ clock }, id) => (await clock.sleep(50), fill(id))],
    ['before a wait', async ({ clock }, id) => [fill(id), await clock.sleep(50)][0] as TargetInput[]],
  ])('and fills it %s tells each notification’s own people', async (_how, route) => {
    const made: World = world({ order: { route: ({ id }) => route(made, id) } });
    const { events } = made.start();
    await made.notifier.publishMany(
      'order',
      Array.from({ length: PEOPLE }, (_, i) => ({ data: { id: `o-${i}`, people: 1 } })),
    );
    await made.untilDone(3_600_000);
    const told = made.mailbox().map(({ to, content }) => `${to} ${String(content['subject'])}`);
    expect(told.sort()).toEqual(Array.from({ length: PEOPLE }, (_, i) => `o-${i}@example.org Order o-${i}`).sort());
    const shared = events.filter(({ kind }) => kind === 'function.shared');
    expect(shared).toEqual([expect.objectContaining({ type: 'order', name: 'route' })]);
  });
});

describe('a route that fills a set again and again', () => {
  const kept = new Set<TargetInput>();
  const fill = (id: string): Set<TargetInput> => {
    kept.clear();
    for (let i = 0; i < 3; i += 1) kept.add({ channel: 'email', to: `${id}-${i}@example.org` });
    return kept;
  };

  test.each([
    { how: 'at once', chunk: 500, isLater: false },
    { how: 'in a promise', chunk: 500, isLater: true },
    { how: 'at once, in pages', chunk: 2, isLater: false },
    { how: 'in a promise, in pages', chunk: 2, isLater: true },
  ])('and answers $how tells each notification’s own people', async ({ chunk, isLater }) => {
    const made = world({
      order: { route: ({ id }) => (isLater ? Promise.resolve(fill(id)) : fill(id)) },
      worker: { chunk },
    });
    await made.notifier.publishMany(
      'order',
      [1, 2, 3].map((i) => ({ data: { id: `o-${i}`, people: 1 } })),
    );
    made.start();
    await made.untilDone(3_600_000);
    const told = made.mailbox().map(({ to, content }) => `${to} ${String(content['subject'])}`);
    expect(told.sort()).toEqual(
      [1, 2, 3].flatMap((n) => [0, 1, 2].map((i) => `o-${n}-${i}@example.org Order o-${n}`)).sort(),
    );
  });
});

/** What a function may try to do to what it is shown. */
const TRESPASSES: readonly (readonly [what: string, content: (order: never, target: never) => MessageContent])[] = [
  ['the address', (_order, target: { to: string }) => ((target.to = 'evil@example.org'), { text: 'x' })],
  ['the channel', (_order, target: { channel: string }) => ((target.channel = 'sms'), { text: 'x' })],
  ["the recipient's data", (_order, target: { data: { n: number } }) => ((target.data.n = 1), { text: 'x' })],
  ["the notification's data", (order: { n: number }) => ((order.n = 1), { text: 'x' })],
  ['what is deep in them', (order: { lines: number[] }) => (order.lines.push(1), { text: 'x' })],
];

describe('content that changes', () => {
  test.each(TRESPASSES)('%s fails, visibly, and neither redirects nor leaks', async (_what, content) => {
    const made = world({
      order: { content: content as never, route: () => [{ channel: 'email', to: 'p0@example.org', tags: [] }] },
    });
    made.start();
    const { id } = await made.notifier.publish('order', { id: 'o-1', people: 1, lines: [] } as never);
    await made.untilDone(3_600_000);
    expect(made.mailbox()).toEqual([]);
    expect(await made.deliveries()).toMatchObject([
      {
        state: 'failed',
        reason: expect.stringMatching(/^content threw TypeError/),
        target: { to: 'p0@example.org', channel: 'email' },
      },
    ]);
    expect((await made.ledger.findNotifications([id]))[0]?.data).toEqual({ id: 'o-1', people: 1, lines: [] });
  });

  test('what it is shown without strict mode changes nothing', async () => {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the only way to write code that is not strict
    const sloppy = new Function(
      'order',
      'target',
      "target.to = 'evil@example.org'; order.n = (order.n || 0) + 1; return { text: 'n ' + order.n };",
    ) as () => MessageContent;
    const made = await sent({ order: { content: sloppy } }, 3);
    expect(made.mailbox().map(({ to }) => to)).toEqual(['p0@example.org', 'p1@example.org', 'p2@example.org']);
    expect(new Set(made.mailbox().map(({ content }) => content['text']))).toEqual(new Set(['n undefined']));
  });
});

describe('a route', () => {
  test('that changes the data fails, and the ledger keeps what was published', async () => {
    const made = world({
      order: {
        route: (order) => {
          (order as { people: number }).people = 7;
          return [];
        },
      },
    });
    made.start();
    const { id } = await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.until('it gave up', async () => (await made.notifier.find(id))?.state === 'failed');
    expect(await made.notifier.find(id)).toMatchObject({ data: { people: 1 } });
  });

  test.each([5, 25])('that gives one list of %d every time tells each its own', async (count) => {
    const people: TargetInput[] = [];
    const route = ({ id }: { id: string }): TargetInput[] => {
      people.length = 0;
      for (let i = 0; i < count; i += 1) people.push({ channel: 'email', to: `${id}.${i}@example.org` });
      return people;
    };
    const made = world({ order: { route }, worker: { chunk: 10 } });
    made.start();
    for (const id of ['a', 'b', 'c']) await made.notifier.publish('order', { id, people: 0 });
    await made.untilDone();
    await expectHonest(made, 3 * count);
    expect(new Set(made.mailbox().map(({ to }) => to)).size).toBe(3 * count);
  });
});

describe('a provider that changes what it is given', () => {
  test('cannot change the record: a retry sends the same content to the same address', async () => {
    const made = world({ order: { content: () => ({ text: 'as made', headers: { a: '1' } }) } });
    const seen: unknown[] = [];
    made.providers[0]?.answerWith(({ message, nth }) => {
      seen.push(structuredClone({ to: message.to, content: message.content }));
      for (const change of [
        () => ((message as { to: string }).to = 'evil@example.org'),
        () => ((message.content as { text: string }).text = 'evil'),
        () => ((message.content.headers as { a: string }).a = 'evil'),
      ])
        try {
          change();
        } catch {
          // Frozen: what it may not change it is told.
        }
      return nth < 4 ? { reply: { kind: 'deferred', reason: '429' } } : {};
    });
    made.start();
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.untilDone(86_000_000);
    const asMade = { to: 'p0@example.org', content: { text: 'as made', headers: { a: '1' } } };
    expect(seen).toEqual([asMade, asMade, asMade, asMade]);
    expect(await made.deliveries()).toMatchObject([{ message: asMade.content, target: { to: asMade.to } }]);
  });
});

describe('content that JSON cannot keep', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  test.each<[what: string, content: unknown, reason: RegExp]>([
    ['a bigint', { total: 1n }, /^DATA_UNSERIALIZABLE: content\.total is a bigint/],
    ['a cycle', circular, /^DATA_UNSERIALIZABLE: content\.self is a circular reference$/],
    ['a function', { text: () => 'x' }, /^DATA_UNSERIALIZABLE: content\.text is a function$/],
    ['a Map', { headers: new Map() }, /^DATA_UNSERIALIZABLE: content\.headers is a Map/],
    ['bytes', { files: [new Uint8Array(1)] }, /^DATA_UNSERIALIZABLE: content\.files\[0\] is binary data/],
    ['NaN', { price: NaN }, /^DATA_UNSERIALIZABLE: content\.price is NaN$/],
    ['a list', [{ text: 'x' }], /^content must return an object, got a list of 1$/],
    ['a Date for a message', new Date(0), /^content must return an object, got one whose toJSON says 1970/],
    [
      'a getter that throws',
      {
        get text() {
          throw new Error('no');
        },
      },
      /^content threw Error: no$/,
    ],
    ['a promise of a number', Promise.resolve(7), /^content must return an object, got 7$/],
    [
      'a then that throws',
      {
        get then() {
          throw new Error('no');
        },
      },
      /^content threw Error: no$/,
    ],
    [
      'a thenable of nothing',
      { then: (done: (of: unknown) => void) => done(undefined) },
      /^content must return an object, got undefined$/,
    ],
  ])('%s fails with the place, and nothing is sent', async (_what, content, reason) => {
    const made = await sent({ order: { content: (() => content) as never } }, 1);
    expect(made.providers[0]?.calls()).toBe(0);
    expect(await made.deliveries()).toMatchObject([{ state: 'failed', reason: expect.stringMatching(reason) }]);
  });

  test('is not what a Date or an undefined in it is', async () => {
    const made = await sent(
      { order: { content: () => ({ subject: undefined as never, at: new Date(0), text: 'x' }) } },
      1,
    );
    expect(made.mailbox()[0]?.content).toEqual({ at: '1970-01-01T00:00:00.000Z', text: 'x' });
  });
});
