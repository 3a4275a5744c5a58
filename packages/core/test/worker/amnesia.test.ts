import { describe, expect, test } from 'vitest';
import { audit, expectHonest } from '../support/audit.ts';
import { world } from '../support/world.ts';

const QUARANTINE_MS = 90_000;

describe('a store that loses its memory', () => {
  test.each(['keyed', 'lookup', 'plain'] as const)(
    'forgets that messages were sent: none is sent twice at a %s provider',
    async (model) => {
      const made = world({ models: [model], undoMs: 600_000, queue: false });
      made.start({ worker: { stages: ['decide'] } });
      await made.notifier.publish('order', { id: 'o-1', people: 6 });
      await made.advance(30_000);
      made.start();
      await made.until('all are sent', async () => (await made.states()).sent === 6);
      expect(made.ledger.control.loseMemory({ lastMs: 10_000, quarantineMs: QUARANTINE_MS }).lost).toBeGreaterThan(0);
      expect(await made.states()).toEqual({ queued: 6 });
      await made.advance(QUARANTINE_MS);
      await made.untilDone(3_600_000);
      expect(await audit(made)).toEqual({ duplicated: [], lost: [], phantom: [] });
      expect(made.mailbox()).toHaveLength(6);
      // Only where the provider can tell does anybody know that they are out.
      expect(await made.states()).toEqual(model === 'plain' ? { parked: 6 } : { sent: 6 });
    },
  );

  test('moves nothing until the quarantine is over', async () => {
    const made = world({ models: ['keyed'], undoMs: 600_000 });
    await made.notifier.publish('order', { id: 'o-1', people: 3 });
    made.ledger.control.loseMemory({ lastMs: 0, quarantineMs: QUARANTINE_MS });
    made.start();
    await made.advance(QUARANTINE_MS - 1_000);
    expect(made.providers[0]?.calls()).toBe(0);
    await made.untilDone(3_600_000);
    await expectHonest(made, 3);
  });

  test('evicts deliveries wholly: they are made again as unknown, not as new', async () => {
    const made = world({ models: ['lookup'], undoMs: 600_000 });
    made.start();
    await made.notifier.publish('order', { id: 'o-1', people: 4 });
    await made.notifier.block([{ scope: 'all', blocked: true, recheckMs: 1_000, by: 'ops', why: 'test' }]);
    await made.until('they are made', async () => (await made.deliveries()).length === 4);
    await made.notifier.block([{ scope: 'all', blocked: false, recheckMs: 0, by: 'ops', why: 'test' }]);
    const ids = (await made.deliveries()).map(({ id }) => id);
    made.ledger.control.loseMemory({ lastMs: 0, evict: ids.slice(0, 2), quarantineMs: QUARANTINE_MS });
    await made.advance(QUARANTINE_MS);
    await made.untilDone(3_600_000);
    await expectHonest(made, 4);
    const story = (await made.notifier.history(ids[0] ?? '')).map(({ to }) => to);
    expect(story).toContain('unknown');
  });
});
