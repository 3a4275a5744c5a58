import { describe, expect, test } from 'vitest';
import type { CallFault } from '../../src/plan.ts';
import type { EventOf } from '../../src/history.ts';
import { messages, simulate, type Simulated } from '../world/simulate.ts';

const lost: CallFault = { do: 'reply-lost', op: 'provider.send', entity: 'r1', nth: 1, phase: 'A' };

function sends(run: Simulated, recipient: number): EventOf<'provider'>[] {
  return run.history.filter(
    (event): event is EventOf<'provider'> =>
      event.kind === 'provider' && run.recipientOf(event.deliveryId) === recipient,
  );
}

function firedAt(run: Simulated): readonly { at: number; entity: string | null }[] {
  return run.history.flatMap((event) =>
    event.kind === 'fault' && event.what === 'fired' ? [{ at: event.at, entity: event.entity }] : [],
  );
}

describe('a fault', () => {
  test('strikes the recipient that it names, and nobody else', async () => {
    const run = await simulate([lost], { recipients: 6 });
    expect(firedAt(run)).toMatchObject([{ entity: 'r1' }]);
    expect([0, 1, 2, 3, 4, 5].map((recipient) => sends(run, recipient).length)).toEqual([1, 2, 1, 1, 1, 1]);
    expect(messages(run)).toEqual({ r0: 1, r1: 1, r2: 1, r3: 1, r4: 1, r5: 1 });
  });

  test('strikes the nth time, not the first', async () => {
    const run = await simulate([lost, { ...lost, nth: 2 }, { ...lost, nth: 9 }]);
    expect(run.fired).toEqual([true, true, false]);
    expect(sends(run, 1).map(({ outcome }) => outcome)).toEqual(['accepted', 'same', 'same']);
  });

  test('strikes a worker or a provider by name, and anybody by a star', async () => {
    const at = (entity: string): CallFault => ({ ...lost, entity });
    const run = await simulate([at('w1'), at('p0'), at('p1'), at('*'), at('w9'), at('r77')], { recipients: 20 });
    expect(run.fired).toEqual([true, true, false, true, false, false]);
  });

  test('hits only the item of its recipient where the fault is about an item', async () => {
    const run = await simulate([{ do: 'told-failed', op: 'queue.enqueue', entity: 'r1', nth: 1, phase: 'A' }], {
      workers: 1,
    });
    expect(run.fired).toEqual([true]);
    expect(run.end).toBe('done');
  });

  test('is found in a call whose reply alone tells whom it is about', async () => {
    const run = await simulate([{ do: 'kill', op: 'ledger.claim', entity: 'r1', nth: 1, phase: 'A' }], {
      queue: false,
    });
    expect(firedAt(run)).toMatchObject([{ entity: 'r1' }]);
    const killed = run.history.find((event) => event.kind === 'process' && event.what === 'kill');
    const claimed = run.history.find(
      (event) => event.kind === 'claim' && event.verdict.kind === 'granted' && run.recipientOf(event.verdict.id) === 1,
    );
    expect([killed?.at, killed?.process]).toEqual([claimed?.at, claimed?.process]);
  });

  test('moves no other draw when it is taken out of the plan', async () => {
    const never: CallFault = { ...lost, nth: 99 };
    const [without, within] = [await simulate([lost]), await simulate([lost, never])];
    const sent = (run: Simulated): unknown[] => run.history.filter((event) => event.kind === 'provider');
    expect(sent(within)).toEqual(sent(without));
  });

  test('fires no more once the heal point is over, and is listed as unfired', async () => {
    const run = await simulate(
      [
        { ...lost, nth: 1 },
        { ...lost, op: 'provider.send', nth: 2 },
      ],
      { knobs: { healMs: 1_000 } },
    );
    expect(run.fired).toEqual([true, false]);
    expect(run.facts.liveness.healedAt).toBe(1_000);
    expect(messages(run)).toEqual({ r0: 1, r1: 1, r2: 1 });
  });

  test('that lasts is over after its length, and the heal point follows the last one', async () => {
    const restart: CallFault = { do: 'restart', op: 'ledger.mark', entity: 'r0', nth: 1, phase: 'B', ms: 90_000 };
    const run = await simulate([restart]);
    const [fired] = firedAt(run);
    expect(run.facts.liveness.healedAt).toBe((fired?.at ?? 0) + 90_000);
    expect(run.history.filter(({ kind }) => kind === 'heal')).toHaveLength(1);
  });
});

describe('a kill by the count of acceptances', () => {
  const moments = ['after-accept', 'before-send', 'before-ack', 'mid-batch'] as const;
  const cases = moments.flatMap((moment) => [true, false].map((queue) => ({ moment, queue })));

  test.each(cases)(
    '$moment (queue: $queue) kills one worker, and everybody still gets one message',
    async ({ moment, queue }) => {
      const run = await simulate([{ do: 'kill', acceptance: 12, moment }], { recipients: 30, concurrency: 5, queue });
      expect(run.fired).toEqual([true]);
      expect(run.kills).toMatchObject([{ acceptance: 12, moment }]);
      expect(new Set(Object.values(messages(run)))).toEqual(new Set([1]));
      expect(run.history.filter((event) => event.kind === 'process' && event.what === 'kill')).toHaveLength(1);
    },
  );

  test.each(cases)(
    '$moment (queue: $queue) is the same kill when it is addressed by its delivery',
    async ({ moment, queue }) => {
      const setup = { recipients: 30, concurrency: 5, queue };
      const counted = await simulate([{ do: 'kill', acceptance: 12, moment }], setup);
      const [kill] = counted.kills;
      if (kill === undefined) throw new Error('no kill');
      const addressed = await simulate([kill.rewritten], setup);
      const without = ({ history }: Simulated): unknown[] =>
        history
          .filter(({ kind }) => kind !== 'fault' && kind !== 'heal')
          .map((event) => (event.kind === 'process' ? { ...event, why: null } : event));
      expect(addressed.fired).toEqual([true]);
      expect(without(addressed)).toEqual(without(counted));
    },
  );

  test('after the acceptance leaves the worker not knowing it', async () => {
    const run = await simulate([{ do: 'kill', acceptance: 2, moment: 'after-accept' }]);
    const [kill] = run.kills;
    const own = sends(run, run.recipientOf(kill?.deliveryId ?? ''));
    expect(own.map(({ outcome }) => outcome)).toEqual(['accepted', 'same']);
  });

  test('before the send leaves nothing at the provider', async () => {
    const run = await simulate([{ do: 'kill', acceptance: 2, moment: 'before-send' }]);
    const [kill] = run.kills;
    const own = sends(run, run.recipientOf(kill?.deliveryId ?? ''));
    expect(own.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([[2, 'accepted']]);
  });

  test('beyond the last acceptance does not fire', async () => {
    const run = await simulate([{ do: 'kill', acceptance: 99, moment: 'after-accept' }]);
    expect([run.fired, run.kills, run.end]).toEqual([[false], [], 'done']);
  });
});
