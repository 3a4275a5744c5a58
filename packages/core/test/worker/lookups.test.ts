import { describe, expect, test } from 'vitest';
import type { LookupAnswer, NotifierConfig } from '../../src/index.ts';
import { scripted } from '../support/providers.ts';
import { never } from '../support/tap.ts';
import { world, type World } from '../support/world.ts';

/** A provider that takes everything and says nothing, so that all of it has to be looked up. */
function asked(made: World, find: () => Promise<LookupAnswer>) {
  let going = 0;
  const seen = { most: 0, finds: 0 };
  const lookup = {
    kind: 'authoritative' as const,
    settleMs: 0,
    horizonMs: 86_400_000,
    async find() {
      going += 1;
      seen.finds += 1;
      seen.most = Math.max(seen.most, going);
      try {
        return await find();
      } finally {
        going -= 1;
      }
    },
  };
  const provider = scripted(made.clock, async () => ({ kind: 'unknown', reason: 'reset' }), { lookup });
  const config: Partial<NotifierConfig> = { channels: { email: { providers: [provider] } } };
  return { seen, config };
}

const found: LookupAnswer = { kind: 'found', providerMessageId: 'm-1' };

describe('lookups', () => {
  test('are at most fifty at once, and all of a sweep get their turn in it', async () => {
    const made = world({ worker: { concurrency: 500, batch: 500, sweepMs: 30_000 } });
    const { seen, config } = asked(made, async () => (await made.clock.sleep(1_000), found));
    made.start({ config });
    await made.notifier.publish('order', { id: 'o-1', people: 300 });
    await made.until('all are found', async () => (await made.states()).sent === 300, 60_000);
    expect(seen).toEqual({ most: 50, finds: 300 });
  });

  test('that hang leave the rest to later sweeps, and the sweeper to its work', async () => {
    const made = world({ worker: { concurrency: 500, batch: 500 } });
    let up = false;
    const { seen, config } = asked(made, async () => (up ? found : never));
    let sweeps = 0;
    made.start({ config, hook: async (call, go) => ((sweeps += Number(call.on === 'ledger.sweep')), go()) });
    await made.notifier.publish('order', { id: 'o-1', people: 300 });
    await made.until('all are unknown', async () => (await made.states()).unknown === 300, 60_000);
    const before = sweeps;
    await made.advance(60_000);
    expect(sweeps - before).toBeGreaterThanOrEqual(4);
    // Fifty in each sweep of ten seconds, not three hundred at once.
    expect(seen.finds).toBeLessThanOrEqual(50 * (sweeps - before + 1));
    up = true;
    await made.until('all are found', async () => (await made.states()).sent === 300, 120_000);
  });
});
