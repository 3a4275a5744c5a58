import { describe, expect, test } from 'vitest';
import type {
  Destinations,
  NotifierConfig,
  Outcome,
  PruningOptions,
  TargetInput,
  TelemetryEvent,
} from '../../src/index.ts';
import { memoryDestinations, memoryProvider, type MemoryProvider } from '../../src/memory/index.ts';
import { world, type Order, type Process, type ProcessOptions, type World } from '../support/world.ts';

const GONE: Outcome = { kind: 'rejected', scope: 'destination', reason: 'Unregistered', code: '410' };
const owner = (recipientId: string) => ({ tenant: 'default', channel: 'push', recipientId }) as const;
const address = (to: string) => ({ tenant: 'default', channel: 'push', to }) as const;

interface PhonesOptions {
  readonly route?: (order: Order) => readonly TargetInput[];
  readonly pruning?: PruningOptions;
  readonly worker?: NotifierConfig['worker'];
  readonly wrap?: (destinations: Destinations) => Partial<Destinations>;
}

interface Phones extends World {
  readonly push: MemoryProvider;
  readonly destinations: Destinations;
  /** A worker that knows the destinations. */
  work(options?: ProcessOptions): Process;
  /** One device for each of so many recipients. */
  registerAll(people: number): Promise<void>;
  sentTo(): readonly string[];
  /** Publishes, and waits until all is done. */
  tell(id: string, people?: number): Promise<void>;
  states1(tokens: readonly string[]): Promise<readonly string[]>;
}

function phones({ route, pruning, worker, wrap }: PhonesOptions = {}): Phones {
  const toAll = ({ people }: Order): TargetInput[] =>
    Array.from({ length: people }, (_, i) => ({ channel: 'push', id: `r${i}` }));
  const base = world({
    order: { route: route ?? toAll, content: ({ id }, { to }) => ({ text: `${id} for ${to}` }), maxAttempts: 3 },
    ...(worker === undefined ? {} : { worker }),
  });
  const { clock } = base;
  const destinations = memoryDestinations({ clock });
  const push = memoryProvider({ clock, name: 'apns' });
  const config: Partial<NotifierConfig> = {
    destinations: { ...destinations, ...wrap?.(destinations) },
    channels: { push: { providers: [push] } },
    ...(pruning === undefined ? {} : { pruning }),
  };
  return {
    ...base,
    push,
    destinations,
    work: (options = {}) => base.start({ ...options, config: { ...config, ...options.config } }),
    async registerAll(people) {
      await destinations.register(
        Array.from({ length: people }, (_, i) => ({ ...owner(`r${i}`), id: 'phone', to: `token-${i}` })),
      );
      await clock.advance(10);
    },
    sentTo: () => push.mailbox.map(({ to }) => to),
    async tell(id, people = 1) {
      await base.notifier.publish('order', { id, people });
      await base.untilDone();
      // And what was proven is reported.
      await clock.advance(5_000);
    },
    states1: async (tokens) => (await destinations.health(tokens.map(address))).map(({ state }) => state),
  };
}

/** All calls of a device token that is dead to the provider. */
function deadTokens(run: Phones, isDead: (to: string) => boolean, replyAfterMs = 0): string[] {
  const asked: string[] = [];
  run.push.answerWith(({ message: { to } }) => {
    asked.push(to);
    return { ...(isDead(to) ? { reply: GONE } : {}), replyAfterMs };
  });
  return asked;
}

const told = <Kind extends TelemetryEvent['kind']>(
  process: Process,
  kind: Kind,
): readonly Extract<TelemetryEvent, { kind: Kind }>[] =>
  process.events.filter((event): event is Extract<TelemetryEvent, { kind: Kind }> => event.kind === kind);

describe('a recipient with several devices', () => {
  test('gets the message on each, and a dead one is deactivated and not asked again', async () => {
    const run = phones();
    const devices = ['phone', 'tablet', 'watch'];
    await run.destinations.register(devices.map((id) => ({ ...owner('r0'), id, to: `to-${id}`, data: { id } })));
    await run.advance(10);
    const asked = deadTokens(run, (to) => to === 'to-tablet');
    run.work();
    await run.tell('o1');
    expect(asked.toSorted()).toEqual(['to-phone', 'to-tablet', 'to-watch']);
    expect(run.sentTo().toSorted()).toEqual(['to-phone', 'to-watch']);
    expect(await run.states1(['to-phone', 'to-tablet', 'to-watch'])).toEqual(['usable', 'dead', 'usable']);
    asked.length = 0;
    await run.tell('o2');
    expect(asked.toSorted()).toEqual(['to-phone', 'to-watch']);
    expect(await run.states()).toEqual({ sent: 4, failed: 1 });
    const targets = (await run.deliveries()).map(({ target }) => target);
    expect(new Set(targets.map(({ destinationId, data }) => `${destinationId} ${String(data['id'])}`)).size).toBe(3);
  });

  test('gets it on the one that is named alone', async () => {
    const run = phones({ route: () => [{ channel: 'push', id: 'r0', destinationId: 'tablet' }] });
    await run.destinations.register(['phone', 'tablet'].map((id) => ({ ...owner('r0'), id, to: `to-${id}` })));
    run.work();
    await run.tell('o1');
    expect(run.sentTo()).toEqual(['to-tablet']);
  });

  test('has the data of the destination beside those of the target, which win', async () => {
    const seen: unknown[] = [];
    const run = phones({ route: () => [{ channel: 'push', id: 'r0', locale: 'de' }] });
    const data = { locale: 'en', app: 7 };
    await run.destinations.register([{ ...owner('r0'), id: 'phone', to: 't', data }]);
    run.work();
    await run.tell('o1');
    seen.push(...(await run.deliveries()).map(({ target }) => target.data));
    expect(seen).toEqual([{ locale: 'de', app: 7 }]);
  });
});

describe('what cannot be sent to', () => {
  const cases: readonly [what: string, target: TargetInput, reason: RegExp][] = [
    ['nobody has a destination', { channel: 'push', id: 'r9' }, /^the recipient has no destination on channel 'push'$/],
    [
      'there is none of this id',
      { channel: 'push', id: 'r0', destinationId: 'x' },
      /^the recipient has no destination of this id on channel 'push'$/,
    ],
    [
      'the only one is dead',
      { channel: 'push', id: 'r1' },
      /^its only destination is dead since 2023-11-14T22:13:2.*Z: apns: Unregistered$/,
    ],
    [
      'all are dead or suppressed',
      { channel: 'push', id: 'r2' },
      /^none of its 2 destinations can be used; the first is suppressed since 2023.*: ops: asked for it$/,
    ],
    [
      'the address is dead',
      { channel: 'push', to: 'dead-1' },
      /^its address is dead since 2023.*: apns: Unregistered$/,
    ],
    [
      'the address is suppressed',
      { channel: 'push', to: 'supp' },
      /^its address is suppressed since 2023.*: ops: asked/,
    ],
    ['there is neither address nor id', { channel: 'push' }, /^invalid address: the address is empty$/],
  ];
  test.each(cases)('is born failed, and says why, where %s', async (_, target, reason) => {
    const run = phones({ route: () => [target, { channel: 'push', id: 'r0' }] });
    const { destinations } = run;
    await destinations.register([
      { ...owner('r0'), id: 'phone', to: 'alive' },
      { ...owner('r1'), id: 'phone', to: 'dead-1' },
      { ...owner('r2'), id: 'a', to: 'supp' },
      { ...owner('r2'), id: 'b', to: 'dead-2' },
    ]);
    await destinations.suppress([{ ...address('supp'), suppressed: true, reason: 'asked for it', by: 'ops' }]);
    await run.advance(10);
    const at = run.clock.now();
    await destinations.report(
      ['dead-1', 'dead-2'].map((to) => ({
        ...address(to),
        kind: 'dead',
        at,
        provider: 'apns',
        reason: 'Unregistered',
      })),
    );
    run.work();
    await run.tell('o1');
    expect(run.sentTo()).toEqual(['alive']);
    const failed = (await run.deliveries()).filter(({ state }) => state === 'failed');
    expect(failed.map((each) => each.reason)).toEqual([expect.stringMatching(reason)]);
    expect(failed[0]?.reason).not.toMatch(/dead-1|supp(?!ressed)/);
  });

  test.each([[{ channel: 'fax', id: 'r0' }], [{ channel: 'fax', to: 'x' }], [{ channel: 'sms', id: 'r0' }]])(
    'keeps nobody from theirs where its channel is none of the config: %o',
    async (odd) => {
      const run = phones({ route: () => [odd as TargetInput, { channel: 'push', id: 'r0' }] });
      await run.registerAll(1);
      run.work();
      await run.tell('o1');
      expect(run.sentTo()).toEqual(['token-0']);
      const reasons = (await run.deliveries()).flatMap(({ state, reason }) => (state === 'failed' ? [reason] : []));
      expect(reasons).toEqual([`channel '${odd.channel}' has no provider in the config`]);
    },
  );

  test('stays as it was without destinations in the config', async () => {
    const run = world({ order: { route: () => [{ channel: 'email', id: 'r0' }] } });
    run.start();
    await run.notifier.publish('order', { id: 'o1', people: 1 });
    await run.untilDone();
    expect((await run.deliveries()).map(({ reason }) => reason)).toEqual(['invalid address: the address is empty']);
  });
});

describe('a page of targets', () => {
  test('is asked about in one call of each kind', async () => {
    const calls: string[] = [];
    const route = (): TargetInput[] => [
      ...Array.from({ length: 40 }, (_, i): TargetInput => ({ channel: 'push', id: `r${i}` })),
      ...Array.from({ length: 40 }, (_, i): TargetInput => ({ channel: 'push', to: `explicit-${i}` })),
    ];
    const run = phones({
      route,
      wrap: (real) => ({
        of: (owners, options) => (calls.push(`of ${owners.length}`), real.of(owners, options)),
        health: (addresses) => (calls.push(`health ${addresses.length}`), real.health(addresses)),
      }),
    });
    await run.registerAll(40);
    run.work();
    await run.tell('o1');
    expect(calls).toEqual(['of 40', 'health 40']);
    expect(run.sentTo()).toHaveLength(80);
  });

  test('of many notifications is answered part by part by a slow store, so that all together come to an end', async () => {
    const slow = phones({
      wrap: (real) => ({
        // Of all 4,000 at once it would take longer than any call may.
        async of(owners, options) {
          await slow.clock.sleep(owners.length * 10, new AbortController().signal);
          return real.of(owners, options);
        },
      }),
    });
    await slow.registerAll(100);
    for (let i = 0; i < 40; i += 1) await slow.notifier.publish('order', { id: `o${i}`, people: 100 });
    const process = slow.work();
    await slow.untilDone();
    expect(slow.sentTo()).toHaveLength(4_000);
    expect(told(process, 'worker.degraded')).toEqual([]);
  });

  test('that was asked about by a process that died before it was added is asked about again, and sent once', async () => {
    const run = phones({ worker: { chunk: 10 } });
    await run.registerAll(35);
    const first = run.work({ dies: { on: 'ledger.add', phase: 'before', nth: 2 } });
    await run.notifier.publish('order', { id: 'o1', people: 35 });
    await run.until('it is dead', () => first.killed);
    run.work();
    await run.untilDone();
    expect(run.sentTo().toSorted()).toEqual(Array.from({ length: 35 }, (_, i) => `token-${i}`).toSorted());
  });

  test.each([
    ['throws', () => Promise.reject(new Error('no connection'))],
    ['hangs', () => new Promise<never>(() => undefined)],
    ['answers too few', () => Promise.resolve([])],
    [
      'answers what is no destination',
      (owners: readonly unknown[]) => Promise.resolve(owners.map(() => [null as never])),
    ],
  ])('waits, visibly, while the store %s, and nothing of it is lost or fails', async (_, fails) => {
    let isDown = true;
    const run = phones({ wrap: (real) => ({ of: (owners) => (isDown ? fails(owners) : real.of(owners)) }) });
    await run.registerAll(20);
    const process = run.work();
    const { id } = await run.notifier.publish('order', { id: 'o1', people: 20 });
    // Longer than a route may fail.
    await run.advance(600_000);
    expect(run.sentTo()).toEqual([]);
    expect(await run.notifier.find(id)).toMatchObject({ failures: 0 });
    expect(JSON.stringify(told(process, 'notification.moved'))).toContain('the destinations could not be read');
    expect(told(process, 'worker.degraded').map(({ worker }) => worker)).toEqual(['destinations']);
    isDown = false;
    await run.untilDone();
    expect(run.sentTo()).toHaveLength(20);
    expect(told(process, 'worker.recovered').map(({ worker }) => worker)).toEqual(['destinations']);
  });

  test('of another notification is not kept by one whose store hangs', async () => {
    let isFirst = true;
    const run = phones({
      wrap: (real) => ({
        of(owners) {
          const hangs = isFirst;
          isFirst = false;
          return hangs ? new Promise<never>(() => undefined) : real.of(owners);
        },
      }),
    });
    await run.registerAll(1);
    run.work();
    await run.notifier.publish('order', { id: 'o1', people: 1 });
    await run.advance(2_000);
    await run.notifier.publish('order', { id: 'o2', people: 1 });
    await run.advance(5_000);
    expect(run.push.mailbox.map(({ content }) => content.text)).toEqual(['o2 for token-0']);
    await run.untilDone();
    expect(run.sentTo()).toHaveLength(2);
  });
});

describe('what an attempt proves about a destination', () => {
  test('does not count against whoever registered the token after the delivery was claimed', async () => {
    const run = phones();
    await run.registerAll(1);
    run.push.answerWith(() => ({ reply: GONE, replyAfterMs: 1_000 }));
    run.work();
    await run.notifier.publish('order', { id: 'o1', people: 1 });
    await run.until('it was asked', () => run.push.calls() === 1);
    await run.destinations.register([{ ...owner('r0'), id: 'phone', to: 'token-0' }]);
    await run.untilDone();
    await run.advance(5_000);
    const [health] = await run.destinations.health([address('token-0')]);
    expect(health).toMatchObject({ state: 'usable', evidence: [{ kind: 'dead', counted: false }] });
  });

  test('is of the time that the provider names', async () => {
    const run = phones();
    const before = run.clock.now();
    await run.registerAll(1);
    run.push.answerWith(() => ({ reply: { ...GONE, goneAt: before - 1_000 } as Outcome }));
    run.work();
    await run.tell('o1');
    const [health] = await run.destinations.health([address('token-0')]);
    expect(health).toMatchObject({ state: 'usable', evidence: [{ at: before - 1_000, counted: false }] });
  });

  test('is a suspicion where the refusal is no proof: nothing is given up, however many there are', async () => {
    const run = phones();
    await run.registerAll(20);
    run.push.answerWith(() => ({ reply: { ...GONE, reason: 'full', goneAt: null } as Outcome }));
    const worker = run.work();
    await run.tell('o1', 20);
    const all = await run.destinations.health(Array.from({ length: 20 }, (_, i) => address(`token-${i}`)));
    for (const health of all)
      expect(health).toMatchObject({
        state: 'usable',
        evidence: [{ kind: 'suspect', counted: false, reason: 'full' }],
      });
    expect(worker.events.filter(({ kind }) => kind === 'pruning.stopped')).toEqual([]);
  });

  test.each([
    ['the message', { kind: 'rejected', scope: 'message', reason: 'INVALID_ARGUMENT' }],
    ['the provider', { kind: 'rejected', scope: 'provider', reason: 'no credit' }],
    ['nothing that is known', { kind: 'unknown', reason: 'timeout' }],
  ] as const)('is nothing where the outcome is about %s', async (_, reply) => {
    const run = phones();
    await run.registerAll(1);
    run.push.answerWith(({ nth }) => (nth === 1 ? { reply } : undefined));
    run.work();
    await run.tell('o1');
    expect(await run.destinations.health([address('token-0')])).toMatchObject([{ state: 'usable', evidence: [] }]);
  });

  test('is lost with a process that dies between settle and report, and costs one more try', async () => {
    let process: Process | null = null;
    let isFirst = true;
    const run = phones({
      wrap: (real) => ({
        report(evidence) {
          if (!isFirst) return real.report(evidence);
          isFirst = false;
          process?.kill();
          return new Promise<never>(() => undefined);
        },
      }),
    });
    await run.registerAll(1);
    const asked = deadTokens(run, () => true);
    process = run.work();
    await run.notifier.publish('order', { id: 'o1', people: 1 });
    await run.until('it is dead', () => process?.killed === true);
    expect(await run.states()).toEqual({ failed: 1 });
    expect(await run.states1(['token-0'])).toEqual(['usable']);
    run.work();
    for (const id of ['o2', 'o3']) await run.tell(id);
    expect(asked).toEqual(['token-0', 'token-0']);
    expect(await run.states1(['token-0'])).toEqual(['dead']);
    expect(await run.states()).toEqual({ failed: 3 });
  });

  test('is kept while the store is away, and keeps no settle waiting', async () => {
    let isDown = true;
    const run = phones({
      wrap: (real) => ({ report: (all) => (isDown ? Promise.reject(new Error('away')) : real.report(all)) }),
    });
    await run.registerAll(3);
    deadTokens(run, () => true);
    const process = run.work();
    await run.tell('o1', 3);
    expect(await run.states()).toEqual({ failed: 3 });
    expect(told(process, 'worker.degraded')).toHaveLength(1);
    await run.advance(60_000);
    isDown = false;
    await run.advance(5_000);
    expect(await run.states1(['token-0', 'token-1', 'token-2'])).toEqual(['dead', 'dead', 'dead']);
  });

  test('is reported by a worker that stops', async () => {
    const run = phones({ worker: { sweepMs: 60_000 } });
    await run.registerAll(1);
    deadTokens(run, () => true);
    const process = run.work();
    await run.notifier.publish('order', { id: 'o1', people: 1 });
    await run.until('it failed', async () => (await run.states()).failed === 1);
    expect(await run.states1(['token-0'])).toEqual(['usable']);
    process.stop();
    await run.until('it has ended', () => process.ended);
    expect(await run.states1(['token-0'])).toEqual(['dead']);
  });
});

describe('a wrong environment, in which every token looks dead', () => {
  const all = Array.from({ length: 500 }, (_, i) => `token-${i}`);
  const deadOf = (states: readonly string[]): number => states.filter((state) => state === 'dead').length;

  test.each([
    ['at once', 50, 0, 0],
    ['one after the other', 1, 200, 9],
  ])('costs nobody more than nine devices, %s, and a person is told', async (_, concurrency, replyAfterMs, most) => {
    const run = phones({ worker: { concurrency } });
    await run.registerAll(500);
    deadTokens(run, () => true, replyAfterMs);
    const process = run.work();
    await run.tell('o1', 500);
    const states = await run.states1(all);
    expect(deadOf(states)).toBeLessThanOrEqual(most);
    await run.advance(20_000);
    expect(run.alerts.filter(({ kind }) => kind === 'pruning-stopped')).toMatchObject([
      { count: 1, next: 'docs/how-to/keep-device-tokens.md' },
    ]);
    expect(told(process, 'pruning.stopped')).toMatchObject([{ channel: 'push', provider: 'apns' }]);
    // The evidence is kept for whoever looks.
    const health = await run.destinations.health(all.map(address));
    expect(health.filter(({ evidence }) => evidence.some(({ kind }) => kind === 'suspect')).length).toBe(
      500 - deadOf(states),
    );
  });

  test('is over by itself once the share has fallen', async () => {
    const run = phones({ pruning: { least: 5, share: 0.5, windowMs: 60_000 } });
    await run.registerAll(10);
    deadTokens(run, () => true);
    const process = run.work();
    await run.tell('o1', 10);
    expect(told(process, 'pruning.stopped')).toMatchObject([{ dead: 10, accepted: 0 }]);
    await run.advance(61_000);
    expect(told(process, 'pruning.resumed')).toHaveLength(1);
    deadTokens(run, (to) => to === 'token-3');
    await run.tell('o2', 10);
    const states = await run.states1(all.slice(0, 10));
    expect(states.map((state, i) => (state === 'dead' ? i : -1)).filter((i) => i >= 0)).toEqual([3]);
  });

  test('does not stop the pruning of another provider', async () => {
    const run = phones({ pruning: { least: 2, share: 0.1 } });
    const mail = memoryProvider({ clock: run.clock, name: 'mail' });
    mail.answerWith(() => ({ reply: GONE }));
    await run.registerAll(5);
    deadTokens(run, () => true);
    const at = { tenant: 'default', channel: 'email', recipientId: 'r0' } as const;
    await run.destinations.register([{ ...at, id: 'm', to: 'a@b.example' }]);
    await run.advance(10);
    const route = ({ people }: Order): TargetInput[] => [
      ...Array.from({ length: people }, (_, i): TargetInput => ({ channel: 'push', id: `r${i}` })),
      { channel: 'email', id: 'r0' },
    ];
    run.work({
      config: {
        channels: { push: { providers: [run.push] }, email: { providers: [mail] } },
        notifications: { order: { class: 'transactional', key: ({ id }: Order) => id, route, content: () => ({}) } },
      },
    });
    await run.tell('o1', 5);
    expect(deadOf(await run.states1(all.slice(0, 5)))).toBe(0);
    const [health] = await run.destinations.health([{ tenant: 'default', channel: 'email', to: 'a@b.example' }]);
    expect(health?.state).toBe('dead');
  });
});
