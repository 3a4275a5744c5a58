import { describe, expect, test } from 'vitest';
import type { Provider, ProviderCapabilities } from '../../src/index.ts';
import { manualClock, seededRandom } from '../../src/memory/index.ts';
import type { TelemetryEvent } from '../../src/index.ts';
import { Health } from '../../src/worker/health.ts';
import { Crew } from '../../src/worker/signals.ts';
import { ODD_VALUES } from '../support/odd.ts';
import { scripted } from '../support/providers.ts';
import { world, type World } from '../support/world.ts';

/** Stands for a bug of the worker's own: what it reads between claim and mark throws while this holds. */
function faulty(made: World, while_: () => boolean, odd: () => unknown = () => new Error('a bug')): Provider {
  const sound = scripted(made.clock, async (nth) => ({ kind: 'accepted', providerMessageId: `m-${nth}` }));
  return {
    ...sound,
    get capabilities(): ProviderCapabilities {
      if (while_()) throw odd();
      return sound.capabilities;
    },
  };
}

describe('a fault between claim and send', () => {
  test.each(ODD_VALUES)('gives slots and leases back and is heard: $what', async ({ make }) => {
    const made = world();
    let broken = false;
    const provider = faulty(made, () => broken, make);
    const worker = made.start({
      worker: { concurrency: 2, batch: 2 },
      config: { channels: { email: { providers: [provider] } } },
    });
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.untilDone();
    broken = true;
    await made.notifier.publish('order', { id: 'o-2', people: 4 });
    await made.advance(20_000);
    expect(worker.healthy).toBe(false);
    expect(worker.events).toContainEqual(expect.objectContaining({ kind: 'worker.degraded' }));
    // The leases are not renewed: whoever is sound may have them.
    broken = false;
    await made.untilDone(120_000);
    expect(await made.states()).toEqual({ sent: 5 });
    await made.advance(61_000);
    expect(worker.healthy).toBe(true);
    expect(worker.events.at(-1)).toMatchObject({ kind: 'worker.recovered' });
    worker.stop();
    await made.advance(10_000);
    expect(worker.ended).toBe(true);
  });

  test('that never ends is asked for less and less often, and its deliveries end as poison', async () => {
    const made = world({ queue: false });
    let broken = false;
    let claims = 0;
    made.start({
      hook: (call, go) => ((claims += broken && call.on === 'ledger.claim' ? 1 : 0), go()),
      config: { channels: { email: { providers: [faulty(made, () => broken)] } } },
    });
    await made.notifier.publish('order', { id: 'o-1', people: 1 });
    await made.untilDone();
    broken = true;
    await made.notifier.publish('order', { id: 'o-2', people: 3 });
    await made.untilDone(600_000);
    expect(await made.states()).toEqual({ sent: 1, dead: 3 });
    expect((await made.deliveries())[1]?.reason).toMatch(/poison/);
    // Four polls a second and no more, though each of them is granted what nobody can work on.
    expect(claims).toBeLessThan((4 * 600_000) / 1_000);
  });
});

describe('the health of a worker', () => {
  function make() {
    const clock = manualClock();
    const told: TelemetryEvent[] = [];
    const health = new Health({ clock, random: seededRandom(1), emit: (event) => void told.push(event) }, 'w');
    return { clock, told, health, reasons: () => told.flatMap((each) => ('reason' in each ? [each.reason] : [])) };
  }

  test('says each reason once until nothing fails any more', () => {
    const { health, told, reasons } = make();
    for (const reason of ['a', 'a', 'b', 'a']) health.noted('ledger', reason);
    expect(reasons()).toEqual(['a', 'b']);
    health.worked('ledger');
    expect(told.at(-1)).toMatchObject({ kind: 'worker.recovered' });
    health.noted('ledger', 'a');
    expect(reasons()).toEqual(['a', 'b', 'a']);
  });

  test('is good again only when every part works', () => {
    const { health, told } = make();
    health.noted('ledger', 'a');
    health.noted('queue', 'b');
    health.worked('ledger');
    expect([health.degraded, told.length]).toEqual([true, 2]);
    health.worked('queue');
    expect([health.degraded, told.length]).toEqual([false, 3]);
  });

  test('does not repeat what works already', () => {
    const { health, told } = make();
    health.worked('ledger');
    expect(told).toEqual([]);
  });

  test('says no more than ten reasons in one spell', () => {
    const { health, told } = make();
    for (let i = 0; i < 50; i += 1) health.noted('ledger', `reason ${i}`);
    expect(told).toHaveLength(10);
  });

  test.each([
    { part: 'wakes', fadesMs: 10_000 },
    { part: 'work', fadesMs: 60_000 },
    { part: 'ledger', fadesMs: Infinity },
    { part: 'queue', fadesMs: Infinity },
  ] as const)('forgets a failure of $part after $fadesMs ms without another', async ({ part, fadesMs }) => {
    const { clock, health } = make();
    health.noted(part, 'x');
    await clock.advance(Math.min(fadesMs, 3_600_000) - 1);
    health.fade();
    expect(health.degraded).toBe(true);
    await clock.advance(1);
    health.fade();
    expect(health.degraded).toBe(fadesMs === Infinity);
  });

  test('waits longer from try to try, up to 5 s', async () => {
    const waits: number[] = [];
    const clock = { ...manualClock(), sleep: async (ms: number) => void waits.push(ms) };
    const random = { next: () => 0.999_999, id: () => 'r' };
    const health = new Health({ clock, random, emit: () => undefined }, 'w');
    for (const times of [1, 2, 3, 4, 5, 6, 7, 100]) await health.failed('ledger', 'x', { times });
    expect(waits).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  });

  test('is bad for good once a part of the worker has died', async () => {
    const { clock, health } = make();
    health.died(new Error('x'));
    await clock.advance(3_600_000);
    health.fade();
    expect(health.degraded).toBe(true);
  });
});

describe('a crew', () => {
  test.each(ODD_VALUES)('hands what its work rejects with to whoever has to hear it, once: $what', async ({ make }) => {
    const heard: unknown[] = [];
    const crew = new Crew((thrown) => void heard.push(thrown));
    const thrown = make();
    crew.add(
      Promise.resolve().then(() => {
        throw thrown;
      }),
    );
    crew.add(Promise.resolve());
    await crew.settled();
    await crew.settled();
    expect(heard).toHaveLength(1);
    expect(heard[0]).toBe(thrown);
    expect(crew.size).toBe(0);
  });
});
