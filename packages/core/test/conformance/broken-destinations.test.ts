import { describe, expect, test } from 'vitest';
import { destinationLaws, runLaws, type DestinationsSubject } from '../../src/conformance/index.ts';
import { manualClock, memoryDestinations } from '../../src/memory/index.ts';
import type { Destinations } from '../../src/ports/destinations.ts';
import { destinationsOver, type DestinationStore, type StoredDocument } from '../../src/records/index.ts';

type Break = (real: Destinations) => Partial<Destinations>;

/** What a store of somebody's own may get wrong, and laws that say so. */
const BROKEN: readonly (readonly [name: string, broken: Break, namedBy: readonly string[]])[] = [
  [
    'leaves a token with whoever had it',
    (real) => ({
      register: (all) =>
        real.register(all.map((each) => (each.channel === 'push' ? { ...each, channel: 'in-app' } : each))),
      of: (owners, options) =>
        real.of(
          owners.map((each) => (each.channel === 'push' ? { ...each, channel: 'in-app' } : each)),
          options,
        ),
    }),
    [
      'moves an address of channel push to whoever registered it last, so that a phone shows the messages of one person alone',
    ],
  ],
  [
    'adds a rotated token beside the old one',
    (real) => ({ register: (all) => real.register(all.map((each) => ({ ...each, id: `${each.id} ${each.to}` }))) }),
    ['rotates: another address under the same id takes the place of the former one'],
  ],
  [
    'takes what is suspected for dead',
    (real) => ({ report: (all) => real.report(all.map((each) => ({ ...each, kind: 'dead' }))) }),
    ['keeps what is only suspected, and changes nothing'],
  ],
  [
    'believes evidence however old it is',
    (real) => ({ report: (all) => real.report(all.map((each) => ({ ...each, at: Number.MAX_SAFE_INTEGER }))) }),
    [
      'keeps evidence from before the latest registration of its address, and changes nothing',
      'believes the registration where evidence is from the same moment',
    ],
  ],
  [
    'forgets the evidence',
    (real) => ({ health: async (all) => (await real.health(all)).map((each) => ({ ...each, evidence: [] })) }),
    ['deactivates an address on evidence, and keeps the evidence', 'keeps what is only suspected, and changes nothing'],
  ],
  [
    'lifts a suppression when somebody registers',
    (real) => ({
      register: async (all) => {
        const lift = { suppressed: false, reason: 'r', by: 'b' };
        await real.suppress(all.map(({ tenant, channel, to }) => ({ tenant, channel, to, ...lift })));
        return real.register(all);
      },
    }),
    ['keeps a suppressed address suppressed until that is lifted, whoever registers it'],
  ],
  [
    'never revives',
    (real) => ({
      register: async (all) => {
        const dead = await real.health(all);
        const verdicts = await real.register(all);
        const again = all.filter((_, at) => dead[at]?.state === 'dead');
        await real.report(
          again.map(({ tenant, channel, to }) => ({
            ...{ tenant, channel, to, kind: 'dead', at: Number.MAX_SAFE_INTEGER },
            ...{ provider: 'p', reason: 'r' },
          })),
        );
        return verdicts;
      },
    }),
    ['revives a dead address that is registered again, and keeps its evidence'],
  ],
  [
    'answers in an order of its own',
    (real) => ({ of: async (owners, options) => (await real.of(owners, options)).toReversed() }),
    ['answers the active registrations of each owner, in the order in which they were made, with their data'],
  ],
  [
    'mixes tenants up',
    (real) => ({ report: (all) => real.report(all.map((each) => ({ ...each, tenant: 'default' }))) }),
    ['keeps tenants, channels and recipients apart'],
  ],
  [
    'forgets nobody',
    () => ({ forget: async (all) => all.map(() => 0) }),
    ['forgets a recipient on every channel and leaves the others alone'],
  ],
];

function subject(broken: Break): DestinationsSubject {
  const clock = manualClock(1_700_000_000_000);
  const real = memoryDestinations({ clock });
  return subjectOf({ ...real, ...broken(real) }, async (ms) => clock.advance(ms));
}

function subjectOf(destinations: Destinations, elapse: (ms: number) => Promise<void>): DestinationsSubject {
  return { destinations, capabilities: {}, unitMs: 1_000, elapse, close: () => destinations.close() };
}

async function brokenLaws(make: () => DestinationsSubject): Promise<readonly string[]> {
  const results = await runLaws(destinationLaws, make);
  return results.filter(({ kind }) => kind === 'broken').map(({ law }) => law);
}

describe('the laws name a store of destinations that', () => {
  test.each(BROKEN)('%s', async (_, broken, namedBy) => {
    expect(await brokenLaws(() => subject(broken))).toEqual(expect.arrayContaining([...namedBy]));
  });
});

describe('a store of documents', () => {
  function store(
    break_: (real: DestinationStore, kept: Map<string, StoredDocument>) => Partial<DestinationStore>,
  ): DestinationsSubject {
    const clock = manualClock(1_700_000_000_000);
    const kept = new Map<string, StoredDocument>();
    const real: DestinationStore = {
      read: async (keys) => ({ now: clock.now(), found: keys.map((key) => kept.get(key) ?? null) }),
      async write(changes) {
        if (changes.some(({ key, was }) => (kept.get(key)?.stamp ?? null) !== was)) return false;
        for (const { key, document } of changes)
          if (document === null) kept.delete(key);
          else kept.set(key, document);
        return true;
      },
      scan: async () => [],
      close: async () => undefined,
    };
    return subjectOf(destinationsOver({ ...real, ...break_(real, kept) }), async (ms) => clock.advance(ms));
  }

  test('that writes whatever was there meanwhile is named by the laws about one moment', async () => {
    const broken = await brokenLaws(() =>
      store((_, kept) => ({
        async write(changes) {
          for (const { key, document } of changes) if (document !== null) kept.set(key, document);
          return true;
        },
      })),
    );
    expect(broken).toContain('gives an address to one of those who register it at one moment, and to nobody else');
    expect(broken).toContain('loses none of what is registered for one owner at one moment');
  });

  test('in which somebody is always ahead is told so, and not asked for ever', async () => {
    const { destinations } = store(() => ({ write: async () => false }));
    const request = { tenant: 'default', channel: 'push', recipientId: 'ann', id: 'x', to: 't' } as const;
    for (const batch of [[request], [request, { ...request, id: 'y', to: 'u' }]])
      await expect(destinations.register(batch)).rejects.toMatchObject({ code: 'DESTINATIONS_UNAVAILABLE' });
  });

  test('is given no more than a thousand items at once', async () => {
    const sizes: number[] = [];
    const { destinations } = store((real) => ({
      write: (changes) => (sizes.push(changes.length), real.write(changes)),
    }));
    const all = Array.from({ length: 2_500 }, (_, i) => ({
      ...{ tenant: 'default', channel: 'push', recipientId: `r${i}`, id: 'x', to: `t${i}` },
    })) as Parameters<Destinations['register']>[0];
    expect(await destinations.register(all)).toHaveLength(2_500);
    expect(sizes).toEqual([2_000, 2_000, 1_000]);
    const found = await destinations.of(
      all.map(({ tenant, channel, recipientId }) => ({ tenant, channel, recipientId })),
    );
    expect(found.flat()).toHaveLength(2_500);
    await expect(destinations.health(Array.from({ length: 10_001 }, () => all[0]!))).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });
});
