import { describe, expect, test } from 'vitest';
import { expectHonest } from '../support/audit.ts';
import { world, type Process, type World } from '../support/world.ts';

/** As a supervisor would: whenever the process is dead, another one is started. */
function supervised(
  made: World,
  setUp: (kill: () => void) => Parameters<World['start']>[0] = () => ({}),
): { readonly starts: () => number; readonly check: () => void } {
  let current: Process | null = null;
  let starts = 0;
  const check = (): void => {
    if (current !== null && !current.killed) return;
    starts += 1;
    current = made.start(setUp(() => current?.kill()));
  };
  check();
  return { starts: () => starts, check };
}

describe('a delivery whose content kills its process', () => {
  test('is dead as poison after five claims, and condemns nobody who was claimed beside it', async () => {
    let kill = (): void => undefined;
    const content = (_order: unknown, { to }: { to: string }) => {
      if (to === 'p3@example.org') kill();
      return { text: to };
    };
    const made = world({ order: { content } });
    const supervisor = supervised(made, (killIt) => ((kill = killIt), {}));
    await made.notifier.publish('order', { id: 'o-1', people: 40 });
    await made.until(
      'everything is settled',
      async () => {
        supervisor.check();
        const { dead = 0, sent = 0 } = await made.states();
        return dead + sent === 40;
      },
      3_600_000,
    );
    expect(await made.states()).toEqual({ sent: 39, dead: 1 });
    await expectHonest(made, 40);
    const record = (await made.deliveries()).find(({ state }) => state === 'dead');
    expect(record).toMatchObject({ target: { to: 'p3@example.org' }, attempts: [] });
    expect(record?.reason).toMatch(/^poison: 5 claims in a row/);
    expect(supervisor.starts()).toBeLessThanOrEqual(6);
  });

  // The claim that finds it is told `settled`, as by any wake that comes again; no sweep hands it out as moved.
  test('is told and alerted like any dead letter', async () => {
    let kill = (): void => undefined;
    const made = world({ order: { content: () => (kill(), {}) } });
    const supervisor = supervised(made, (killIt) => ((kill = killIt), {}));
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.until('it is dead', async () => (supervisor.check(), (await made.states()).dead === 1), 3_600_000);
    await made.advance(60_000);
    expect(made.alerts).toMatchObject([{ kind: 'dead-letter', count: 1 }]);
    const [record] = await made.deliveries();
    await made.queue?.enqueue([{ id: record?.id ?? '' }]);
    await made.advance(60_000);
    expect(made.alerts).toHaveLength(1);
    // A process that starts long after meets only a copy of the wake.
    made.start();
    await made.advance(600_000);
    await made.queue?.enqueue([{ id: record?.id ?? '' }, { id: record?.id ?? '' }]);
    await made.advance(60_000);
    expect(made.alerts).toHaveLength(1);
  });

  test('does not keep another notification waiting for its lease', async () => {
    let kill = (): void => undefined;
    const content = ({ id }: { id: string }, { to }: { to: string }) => {
      if (id === 'bad') kill();
      return { text: to };
    };
    const made = world({ order: { content } });
    const supervisor = supervised(made, (killIt) => ((kill = killIt), {}));
    await made.notifier.publish('order', { id: 'bad', people: 1 });
    await made.advance(1_000);
    supervisor.check();
    await made.notifier.publish('order', { id: 'good', people: 5 });
    await made.until('the good one is out', async () => (supervisor.check(), (await made.states()).sent === 5), 10_000);
  });
});

describe('a route that kills its process', () => {
  test('fails its notification as poison, and lets the others through', async () => {
    let kill = (): void => undefined;
    const route = ({ id }: { id: string }) => {
      if (id === 'bad') kill();
      return [{ channel: 'email' as const, to: `${id}@example.org` }];
    };
    const made = world({ order: { route } });
    const supervisor = supervised(made, (killIt) => ((kill = killIt), {}));
    const { id: bad } = await made.notifier.publish('order', { id: 'bad', people: 1 });
    for (let i = 0; i < 9; i += 1) await made.notifier.publish('order', { id: `good-${i}`, people: 1 });
    await made.until(
      'the bad one gave up and the others are out',
      async () => {
        supervisor.check();
        return (await made.states()).sent === 9 && (await made.notifier.find(bad))?.state === 'failed';
      },
      3_600_000,
    );
    expect((await made.notifier.find(bad))?.reason).toMatch(/^poison/);
    expect((await made.notifier.status()).notifications.failed).toBe(1);
    await made.until('the alert is out', () => made.alerts.length > 0, 60_000);
    expect(made.alerts).toMatchObject([{ kind: 'dead-letter', count: 1, examples: [bad] }]);
  });
});
