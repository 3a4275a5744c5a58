import { describe, expect, test } from 'vitest';
import type { Ledger, LedgerWakes } from '../../src/index.ts';
import { never } from '../support/tap.ts';
import { world, type Process, type World } from '../support/world.ts';

const MINUTE = 60_000;

interface Heard {
  readonly ledger: Ledger;
  /** How often each method was called. */
  readonly calls: Record<string, number>;
}

/** The world's ledger, with wakes. */
function hearing(made: World, listen: LedgerWakes['listen']): Heard {
  const calls: Record<string, number> = {};
  const counted = (name: 'claim' | 'claimNotifications'): Ledger['claim'] & Ledger['claimNotifications'] =>
    ((...args: Parameters<Ledger['claim']>) => {
      calls[name] = (calls[name] ?? 0) + 1;
      return made.ledger[name](...args);
    }) as never;
  const capabilities = { ...made.ledger.capabilities, wakes: { listen } };
  const ledger = { ...made.ledger, capabilities, claim: counted('claim') };
  return { ledger: { ...ledger, claimNotifications: counted('claimNotifications') }, calls };
}

function start(made: World, ledger: Ledger): Process {
  return made.start({ config: { ledger }, worker: { pollMs: MINUTE } });
}

const order = { id: 'o-1', people: 3 };

describe('a worker without a queue, whose ledger has wakes', () => {
  test('routes, expands and sends long before its poll', async () => {
    const made = world({ queue: false });
    let wake = (): void => undefined;
    const { ledger } = hearing(made, (onWake) => ((wake = onWake), never));
    start(made, ledger);
    await made.advance(1_000);
    await made.notifier.publish('order', order);
    await made.advance(1_000);
    expect(made.mailbox()).toEqual([]);
    wake();
    await made.advance(100);
    expect(made.mailbox()).toHaveLength(3);
  });

  test('takes a thousand wakes in a second for twenty', async () => {
    const made = world({ queue: false });
    let wake = (): void => undefined;
    const { ledger, calls } = hearing(made, (onWake) => ((wake = onWake), never));
    start(made, ledger);
    await made.advance(1_000);
    const before = { ...calls };
    for (let i = 0; i < 1_000; i += 1) {
      wake();
      await made.advance(1);
    }
    expect(calls['claim']! - before['claim']!).toBeGreaterThan(15);
    expect(calls['claim']! - before['claim']!).toBeLessThanOrEqual(21);
    // Once by the wake, and once by the poll that found nothing.
    expect(calls['claimNotifications']! - before['claimNotifications']!).toBeLessThanOrEqual(42);
  });

  test.each<{ readonly what: string; readonly listen: LedgerWakes['listen'] }>([
    { what: 'hangs, whatever the signal says', listen: () => never },
    { what: 'rejects', listen: () => Promise.reject(new Error('no')) },
    {
      what: 'throws',
      listen: () => {
        throw new Error('no');
      },
    },
    { what: 'ends at once', listen: () => Promise.resolve() },
    { what: 'answers no promise', listen: () => undefined as never },
    {
      what: 'calls back all the time',
      listen: (onWake) => (setTimeout(onWake), onWake(), onWake(), Promise.reject(new Error('no'))),
    },
  ])('works by polling, stops when it is told to, and is healthy where listening $what', async ({ listen }) => {
    const made = world({ queue: false });
    let listened = 0;
    const { ledger } = hearing(made, (...args) => ((listened += 1), listen(...args)));
    const worker = start(made, ledger);
    await made.advance(1_000);
    await made.notifier.publish('order', order);
    await made.advance(3 * MINUTE);
    expect(made.mailbox()).toHaveLength(3);
    expect(listened).toBeLessThan(20);
    expect(worker.healthy).toBe(true);
    expect(worker.events.filter(({ kind }) => kind === 'worker.degraded')).toEqual([]);
    worker.stop();
    await made.advance(1);
    expect(worker.ended).toBe(true);
  });

  test('listens again after a while, and hears what is told then', async () => {
    const made = world({ queue: false });
    const wakes: (() => void)[] = [];
    let cut = (): void => undefined;
    const { ledger } = hearing(made, (onWake) => {
      wakes.push(onWake);
      return new Promise((_, reject) => (cut = () => reject(new Error('cut'))));
    });
    start(made, ledger);
    await made.advance(5 * MINUTE);
    cut();
    await made.advance(1_000);
    expect(wakes).toHaveLength(2);
    await made.notifier.publish('order', order);
    wakes[1]!();
    await made.advance(100);
    expect(made.mailbox()).toHaveLength(3);
  });

  test('tells its ledger when it stops', async () => {
    const made = world({ queue: false });
    let heard: AbortSignal | null = null;
    const { ledger } = hearing(made, (_, signal) => ((heard = signal), never));
    const worker = start(made, ledger);
    await made.advance(1_000);
    expect(heard).toMatchObject({ aborted: false });
    worker.stop();
    await made.advance(1);
    expect(heard).toMatchObject({ aborted: true });
  });
});

test('a worker with a queue does not listen to its ledger', async () => {
  const made = world();
  let listened = 0;
  const { ledger } = hearing(made, () => ((listened += 1), never));
  start(made, ledger);
  await made.notifier.publish('order', order);
  await made.advance(MINUTE);
  expect([listened, made.mailbox().length]).toEqual([0, 3]);
});
