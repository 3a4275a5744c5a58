import { describe, expect, test } from 'vitest';
import type { Lookup, Outcome, Provider } from '../../src/index.ts';
import { ODD_VALUES } from '../support/odd.ts';
import { scripted } from '../support/providers.ts';
import { never } from '../support/tap.ts';
import { world, type World } from '../support/world.ts';

const UNKNOWN: Outcome = { kind: 'unknown', reason: 'reset' };

/** Runs two orders through one slot: the provider does this with the bad one. */
async function story(send: (made: World) => unknown, lookup: Lookup | 'none' = 'none'): Promise<World> {
  const made = world();
  const provider: Provider = scripted(
    made.clock,
    (nth, { content }) =>
      content['subject'] === 'Order bad'
        ? (send(made) as Promise<Outcome>)
        : Promise.resolve({ kind: 'accepted', providerMessageId: `m-${nth}` }),
    { lookup },
  );
  // Returned as it is: the imitation must not turn an odd answer into a promise of one.
  const channels = { email: { providers: [provider] } };
  const worker = made.start({ worker: { concurrency: 1, batch: 1 }, config: { channels } });
  await made.notifier.publish('order', { id: 'bad', people: 1 });
  await made.notifier.publish('order', { id: 'good', people: 1 });
  await made.until('the good one is sent', async () => ((await made.states()).sent ?? 0) >= 1, 120_000);
  await made.untilDone(3_600_000);
  expect(worker.healthy).toBe(true);
  return made;
}

const PLAIN_ANSWERS: readonly { readonly what: string; readonly make: () => unknown }[] = [
  ...ODD_VALUES,
  { what: 'a kind that is none', make: () => ({ kind: 'sent' }) },
  { what: 'accepted without an id', make: () => ({ kind: 'accepted' }) },
  { what: 'accepted with an empty id', make: () => ({ kind: 'accepted', providerMessageId: '' }) },
  { what: 'accepted with a number', make: () => ({ kind: 'accepted', providerMessageId: 7 }) },
  { what: 'accepted with an endless id', make: () => ({ kind: 'accepted', providerMessageId: 'x'.repeat(100_000) }) },
  { what: 'rejected with a scope that is none', make: () => ({ kind: 'rejected', scope: 'all', reason: 'x' }) },
  { what: 'a thenable that never settles', make: () => ({ then: () => undefined }) },
  { what: 'a promise that never settles', make: () => never },
];

describe('an answer of a provider that cannot be used', () => {
  test.each(PLAIN_ANSWERS)('is unknown, and keeps nobody else: $what', async ({ make }) => {
    const made = await story(make);
    expect(await made.states()).toEqual({ sent: 1, parked: 1 });
    const [bad] = (await made.deliveries()).filter(({ state }) => state === 'parked');
    expect(bad?.attempts).toMatchObject([{ n: 1, outcome: { kind: 'unknown' } }]);
  });

  test('of a thenable that settles twice is its first', async () => {
    const twice = {
      then(resolve: (outcome: Outcome) => void, reject: (thrown: Error) => void) {
        resolve({ kind: 'accepted', providerMessageId: 'm-first' });
        resolve({ kind: 'accepted', providerMessageId: 'm-second' });
        reject(new Error('third'));
      },
    };
    const made = await story(() => twice);
    const ids = (await made.deliveries()).flatMap(({ attempts }) => attempts.map(({ outcome }) => outcome));
    expect(ids).toContainEqual({ kind: 'accepted', providerMessageId: 'm-first' });
    expect(ids).toHaveLength(2);
  });
});

describe('a wait that a provider asks for', () => {
  test.each([NaN, -1, Infinity, '5', 1e300, 5n, {}])(
    'and that is none is the back-off of the class: %o',
    async (wait) => {
      let asked = 0;
      const made = await story(() => {
        asked += 1;
        return Promise.resolve(
          asked === 1
            ? { kind: 'deferred', reason: '429', retryAfterMs: wait }
            : { kind: 'accepted', providerMessageId: 'm' },
        );
      });
      expect(await made.states()).toEqual({ sent: 2 });
      expect(asked).toBe(2);
    },
  );
});

describe('an answer of a lookup that cannot be used', () => {
  test.each([
    ...ODD_VALUES,
    { what: 'a kind that is none', make: () => ({ kind: 'missing' }) },
    { what: 'found without an id', make: () => ({ kind: 'found' }) },
    { what: 'a promise that never settles', make: () => never },
  ])('is no proof of absence, and keeps nobody else: $what', async ({ make }) => {
    const find = (() => make()) as Lookup['find'];
    const lookup = { kind: 'authoritative', settleMs: 0, horizonMs: 600_000, find } as const;
    let asked = 0;
    const made = await story(() => ((asked += 1), Promise.resolve(UNKNOWN)), lookup);
    expect(await made.states()).toEqual({ sent: 1, parked: 1 });
    expect(asked).toBe(1);
  });
});
