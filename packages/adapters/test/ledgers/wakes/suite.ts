import {
  createNotifier,
  notification,
  type Ledger,
  type NotificationType,
  type Notifier,
  type Provider,
  type WorkerOptions,
} from '@sendonce/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { tcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

interface Order {
  readonly id: string;
}

/** Far beyond what a test waits, ms: what is sent before it was not found by polling. */
const NEVER_MS = 60_000;

export interface WakePlaces<P> {
  readonly port: () => Promise<number>;
  make(): Promise<P>;
  /** A ledger there with wakes, on connections of its own. `wakePort`: where it is to listen. */
  openLedger(place: P, options: { readonly wakePort: number; readonly warnings?: string[] }): Ledger;
}

export interface Working {
  /** Recipients that were reached. */
  readonly sent: string[];
  /** How often its ledger woke it; the first time when it began to hear. */
  readonly wakes: () => number;
}

/** A worker that sends to a list, until the test is over. */
export function workers(): (ledger: Ledger, options: WorkerOptions) => Working {
  const stopping: AbortController[] = [];
  const running: Promise<void>[] = [];
  afterEach(async () => {
    for (const each of stopping.splice(0)) each.abort();
    await Promise.all(running.splice(0));
  });
  return (ledger, options) => {
    const sent: string[] = [];
    let wakes = 0;
    const listen = ledger.capabilities.wakes?.listen;
    if (listen === undefined) throw new Error('a ledger without wakes');
    const counting: typeof listen = (onWake, signal) => listen(() => ((wakes += 1), onWake()), signal);
    const stop = new AbortController();
    stopping.push(stop);
    const heard = { ...ledger, capabilities: { ...ledger.capabilities, wakes: { listen: counting } } };
    running.push(notifierOn(heard, sent).worker(options).run({ signal: stop.signal }));
    return { sent, wakes: () => wakes };
  };
}

export function notifierOn(ledger: Ledger, sent: string[] = []): Notifier<{ readonly order: NotificationType<Order> }> {
  const provider: Provider = {
    name: 'list',
    capabilities: { idempotency: { kind: 'none' }, lookup: 'none', correlation: 'none', coalesce: false },
    async send({ to }) {
      sent.push(to);
      return { kind: 'accepted', providerMessageId: `m-${to}` };
    },
    async close() {},
  };
  return createNotifier({
    ledger,
    channels: { email: { providers: [provider] } },
    notifications: {
      order: notification<Order>({
        class: 'transactional',
        key: ({ id }) => id,
        route: ({ id }) => [{ channel: 'email', to: `${id}@example.org` }],
        content: ({ id }) => ({ subject: id, text: id }),
      }),
    },
  });
}

export async function until(holds: () => void | Promise<void>, timeout = 10_000): Promise<void> {
  await vi.waitFor(holds, { timeout, interval: 5 });
}

/** What wakes do on a real server, and what their absence does not. */
export function testWakes<P>({ port, make, openLedger }: WakePlaces<P>): void {
  const start = workers();
  let proxy: TcpProxy;
  beforeEach(async () => {
    proxy = await tcpProxy(await port());
  });
  afterEach(() => proxy.close());

  describe('a worker with connections of its own is woken long before its poll', () => {
    test('by a publish, and sends', async () => {
      const place = await make();
      const worker = start(openLedger(place, { wakePort: await port() }), { pollMs: NEVER_MS });
      await until(() => expect(worker.wakes()).toBe(1));
      const producer = notifierOn(openLedger(place, { wakePort: 1 }));
      for (const id of ['a', 'b', 'c']) {
        await producer.publish('order', { id });
        await until(() => expect(worker.sent).toContain(`${id}@example.org`));
      }
      expect(worker.wakes()).toBeGreaterThan(1);
    });

    test('by the fan-out of another', async () => {
      const place = await make();
      const deciding = start(openLedger(place, { wakePort: await port() }), { pollMs: NEVER_MS, stages: ['decide'] });
      const delivering = start(openLedger(place, { wakePort: await port() }), {
        pollMs: NEVER_MS,
        stages: ['deliver'],
      });
      await until(() => expect([deciding.wakes(), delivering.wakes()]).toEqual([1, 1]));
      await notifierOn(openLedger(place, { wakePort: 1 })).publish('order', { id: 'a' });
      await until(() => expect(delivering.sent).toEqual(['a@example.org']));
      expect(deciding.sent).toEqual([]);
    });
  });

  describe('where the connection that listens', () => {
    test('is cut, it is made again, and what was published meanwhile is found', async () => {
      const place = await make();
      const warnings: string[] = [];
      const worker = start(openLedger(place, { wakePort: proxy.port, warnings }), { pollMs: NEVER_MS });
      await until(() => expect(worker.wakes()).toBe(1));
      proxy.cut();
      await until(() => expect(warnings).toHaveLength(1));
      const producer = notifierOn(openLedger(place, { wakePort: 1 }));
      await producer.publish('order', { id: 'a' });
      await until(() => expect(worker.sent).toEqual(['a@example.org']));
      await until(() => expect(worker.wakes()).toBeGreaterThan(1));
      expect(proxy.connections).toBe(2);
      await producer.publish('order', { id: 'b' });
      await until(() => expect(worker.sent).toEqual(['a@example.org', 'b@example.org']));
    });

    test.for(['is half open', 'is refused'] as const)('%s, all is sent by polling', async (how) => {
      const place = await make();
      const warnings: string[] = [];
      const wakePort = how === 'is refused' ? 1 : proxy.port;
      const worker = start(openLedger(place, { wakePort, warnings }), { pollMs: 100 });
      if (how === 'is half open') await until(() => expect(worker.wakes()).toBe(1));
      else await until(() => expect(warnings).toMatchObject([expect.stringContaining('hears no wakes')]));
      proxy.swallow();
      const producer = notifierOn(openLedger(place, { wakePort: 1 }));
      for (const id of ['a', 'b', 'c']) await producer.publish('order', { id });
      await until(() => expect(worker.sent.toSorted()).toEqual(['a@example.org', 'b@example.org', 'c@example.org']));
      expect(worker.wakes()).toBe(how === 'is refused' ? 0 : 1);
    });
  });

  test('the connection that listens is closed when its worker has stopped', async () => {
    const ledger = openLedger(await make(), { wakePort: proxy.port });
    const stop = new AbortController();
    const running = notifierOn(ledger).worker({ pollMs: NEVER_MS }).run({ signal: stop.signal });
    await until(() => expect(proxy.open).toBe(1));
    stop.abort();
    await running;
    await until(() => expect(proxy.open).toBe(0));
  });
}
