import { describe, expect, test } from 'vitest';
import { expectHonest } from '../support/audit.ts';
import { ODD_VALUES } from '../support/odd.ts';
import type { Hook } from '../support/tap.ts';
import { world, type World } from '../support/world.ts';

const LEDGER = ['claimNotifications', 'add', 'claim', 'renew', 'mark', 'settle', 'sweep', 'count'] as const;
const QUEUE = ['enqueue', 'receive', 'ack', 'release'] as const;

/** For how long the port does so, ms. Longer than a lease and a dispatch window. */
const SPELL_MS = 70_000;

interface Seen {
  calls: number;
}

/** In place of this call's answer, for a while: the call itself is made or not. */
function instead(made: World, on: string, answer: (real: unknown) => unknown, seen: Seen): Hook {
  const until = made.clock.monotonic() + SPELL_MS;
  return async (call, go) => {
    const real = await go();
    if (call.on !== on || made.clock.monotonic() >= until) return real;
    seen.calls += 1;
    return answer(real);
  };
}

const MOST_RECEIVES = 1_000;
/** A port that keeps failing is asked again and again, more and more slowly: these are all calls within the spell. */
const MOST_CALLS = 400;

async function survives(made: World, hook: Hook, seen: Seen, on: string): Promise<void> {
  const worker = made.start({ hook, worker: { batch: 5, concurrency: 5, noProgressMs: 30_000 } });
  // Slow enough for leases to be renewed meanwhile.
  made.providers[0]?.answerWith(() => ({ replyAfterMs: 500 }));
  await made.notifier.publish('order', { id: 'o-1', people: 7 });
  await made.advance(SPELL_MS);
  if (seen.calls > 0 && on !== 'ledger.renew' && on !== 'ledger.count')
    expect(worker.events).toContainEqual(expect.objectContaining({ kind: 'worker.degraded' }));
  expect(seen.calls).toBeLessThan(MOST_CALLS);
  await made.untilDone(600_000);
  await expectHonest(made, 7);
  expect((await made.deliveries()).filter(({ state }) => state === 'sent')).toHaveLength(7);
  await made.advance(70_000);
  expect(worker.healthy).toBe(true);
}

const GARBAGE: readonly { readonly what: string; readonly of: (real: unknown) => unknown }[] = [
  ...ODD_VALUES.map(({ what, make }) => ({ what, of: make })),
  { what: 'a list of nothing usable', of: () => [undefined, null, 7, {}] },
  { what: 'a list of unknown kinds', of: (real) => listed(real).map(() => ({ kind: 'odd', id: 'd_1' })) },
  { what: 'a list that is too long', of: (real) => [...listed(real), ...listed(real), { kind: 'ok', id: 'd_x' }] },
];

function listed(real: unknown): readonly unknown[] {
  return Array.isArray(real) ? real : [real];
}

describe.each(LEDGER)('a ledger whose %s answers', (method) => {
  test.each(GARBAGE)('$what: it is said, and the worker goes on', async ({ of }) => {
    const made = world({ queue: false });
    const seen = { calls: 0 };
    await survives(made, instead(made, `ledger.${method}`, of, seen), seen, `ledger.${method}`);
  });
});

describe.each(QUEUE)('a queue whose %s answers', (method) => {
  test.each(GARBAGE)('$what: the worker goes on', async ({ of }) => {
    const made = world();
    const seen = { calls: 0 };
    // A queue need not answer anything to an ack: only a receive is looked at.
    const on = method === 'receive' ? `queue.${method}` : 'ledger.renew';
    const hook = instead(made, `queue.${method}`, of, seen);
    await survives(made, hook, seen, on);
  });
});

describe.each([...LEDGER.map((each) => `ledger.${each}`), ...QUEUE.map((each) => `queue.${each}`)])(
  'a port whose %s throws',
  (on) => {
    test.each(ODD_VALUES)('$what: it is said, and the worker goes on', async ({ make }) => {
      const made = world();
      const seen = { calls: 0 };
      const hook = instead(
        made,
        on,
        () => {
          throw make();
        },
        seen,
      );
      await survives(made, hook, seen, on === 'queue.release' || on === 'queue.ack' ? 'ledger.renew' : on);
    });
  },
);

describe('a wake that cannot be used', () => {
  test('does not keep the others from being received', async () => {
    const made = world();
    const bad = [null, { id: '' }, { id: 7, receipt: 'r', receives: 1, ageMs: 0 }, { id: 'd_1', ageMs: NaN }];
    const worker = made.start({
      hook: async (call, go) =>
        call.on === 'queue.receive' ? [...((await go()) as readonly unknown[]), ...bad] : go(),
    });
    await made.notifier.publish('order', { id: 'o-1', people: 3 });
    await made.untilDone(30_000);
    expect(await made.states()).toEqual({ sent: 3 });
    expect(worker.events).toContainEqual(
      expect.objectContaining({ kind: 'worker.degraded', reason: expect.stringMatching(/LAW|wake needs an id/) }),
    );
  });
});

describe('a queue that does not wait', () => {
  test.each<[what: string, answer: readonly unknown[]]>([
    ['with nothing', []],
    ['with the same wake about nothing', [{ id: 'd_nobody', receipt: 'r', receives: 1, ageMs: 0 }]],
    ['with the same wake about no notification', [{ id: 'n_nobody', receipt: 'r', receives: 1, ageMs: 0 }]],
  ])('%s is not asked without a pause', async (_what, answer) => {
    const made = world();
    let receives = 0;
    made.start({
      hook: async (call, go) => {
        if (call.on !== 'queue.receive') return go();
        receives += 1;
        // Else a worker that spins would never let this test end.
        if (receives > MOST_RECEIVES) throw new Error('asked without a pause');
        return answer;
      },
    });
    await made.advance(60_000);
    // 20 at once, then four a second.
    expect(receives).toBeLessThan(MOST_RECEIVES);
    await made.notifier.publish('order', { id: 'o-1', people: 3 });
    await made.untilDone(120_000);
  });
});

test('a worker that looks for late work without a pause takes up its wakes all the same', async () => {
  const made = world();
  made.start({ worker: { lateMs: 0 } });
  await made.notifier.publish('order', { id: 'o-1', people: 3 });
  await made.untilDone(30_000);
  expect(await made.states()).toEqual({ sent: 3 });
});

test.each(['ledger', 'queue'] as const)('a %s that is a frozen object works like any other', async (port) => {
  const made = world();
  const config = { [port]: Object.freeze({ ...made[port] }) };
  const worker = made.start({ config });
  await made.notifier.publish('order', { id: 'o-1', people: 3 });
  await made.untilDone(120_000);
  expect(worker.events.filter(({ kind }) => kind === 'worker.degraded')).toEqual([]);
  expect(await made.states()).toEqual({ sent: 3 });
});
