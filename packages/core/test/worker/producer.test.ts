import { describe, expect, test } from 'vitest';
import type { TargetInput } from '../../src/index.ts';
import { expectHonest } from '../support/audit.ts';
import { never, tap } from '../support/tap.ts';
import { createNotifier } from '../../src/index.ts';
import { world, type World } from '../support/world.ts';

const people = (count: number): Set<TargetInput> =>
  new Set(Array.from({ length: count }, (_, i) => ({ channel: 'email', to: `p${i}@example.org` })));

/** A producer that dies with its nth page: before it is stored, or after. */
function dying(made: World, nth: number, phase: 'before' | 'after') {
  const ledger = tap('ledger', made.ledger, async (call, go) => {
    if (call.on !== 'ledger.seal' || call.nth < nth) return go();
    if (phase === 'after' && call.nth === nth) await go();
    return never;
  });
  const order = { class: 'transactional', key: ({ id }: { id: string }) => id, content: () => ({}) } as const;
  const channels = { email: { providers: made.providers } };
  return createNotifier({ ledger, channels, notifications: { order }, worker: { chunk: 10 }, clock: made.clock });
}

describe('a producer that dies while it publishes', () => {
  const MOMENTS = [1, 2, 4].flatMap((nth) => (['before', 'after'] as const).map((phase) => ({ nth, phase })));

  test.each(MOMENTS)(
    '$phase page $nth leaves nobody half told; publishing again tells everybody once',
    async ({ nth, phase }) => {
      const made = world({ worker: { chunk: 10 } });
      made.start();
      void dying(made, nth, phase).publish('order', { id: 'o-1' }, { recipients: people(35) });
      await made.advance(3_600_000);
      // The last page seals: once it is stored, the notification is whole, although its producer never heard so.
      const isWhole = nth === 4 && phase === 'after';
      expect(made.mailbox()).toHaveLength(isWhole ? 35 : 0);
      const { unsealed } = await made.notifier.status();
      expect(unsealed).toBe(isWhole ? 0 : 1);
      const again = await made.notifier
        .publish('order', { id: 'o-1', people: 0 }, { recipients: people(35) })
        .catch((error: unknown) => error);
      // Another body under the same key is a conflict: the producer has to repeat what it published.
      expect(again).toMatchObject({ code: 'NOTIFICATION_CONFLICT' });
      await made.notifier.publish('order', { id: 'o-1' } as never, { recipients: people(35) });
      await made.untilDone();
      await expectHonest(made, 35);
      expect(made.mailbox()).toHaveLength(35);
    },
  );
});
