import { describe, expect, test } from 'vitest';
import { deliveryId } from '../../src/model/keys.ts';
import { manualClock } from '../../src/memory/clock.ts';
import { ledgerState } from '../../src/memory/ledger/state.ts';
import { reading } from '../../src/memory/ledger/reading.ts';
import { recordLedger } from '../../src/records/ledger.ts';
import { newNotification, target } from '../../src/conformance/ledger/requests.ts';

const START_MS = Date.UTC(2024, 0);
const COUNT = 2_500;

/** A notification whose deliveries are all born failed, on a store that dies in the nth transaction after that. */
async function dying() {
  const clock = manualClock(START_MS);
  const state = ledgerState({ clock });
  let left = Infinity;
  const store = recordLedger({
    async transact(work) {
      left -= 1;
      if (left < 0) throw new Error('killed');
      return work(state);
    },
  });
  const given = newNotification('large', { page: Array.from({ length: COUNT }, (_, i) => target(i)) });
  await store.accept([given]);
  const lease = { owner: 'w', requestId: 'r', leaseMs: 1_000 };
  const [claimed] = await store.claimNotifications({ due: 1, lateMs: 0 }, lease);
  if (claimed?.kind !== 'granted') throw new Error('not granted');
  const deliveries = (given.page ?? []).map((to) => {
    const { recipientId, channel, destinationId } = to;
    const id = deliveryId({ notificationId: given.id, recipientId, channel, destinationId, generation: 0 });
    return { id, target: to, provider: 'first', maxAttempts: 1, topic: null, failed: 'no such address' };
  });
  const adding = { notificationId: given.id, fence: claimed.fence, page: 0, deliveries, sealTargets: null, leaseMs: 0 };
  await store.add([adding]);
  return {
    given,
    store,
    read: reading(state),
    dieAfter: (transactions: number) => void (left = transactions),
  };
}

describe('forgetting a notification of many deliveries', () => {
  test.each(Array.from({ length: 9 }, (_, n) => n))(
    'killed in transaction %i it is known all the same, and again finishes',
    async (n) => {
      const { given, store, read, dieAfter } = await dying();
      const request = { id: given.id, settledForMs: 0 };
      dieAfter(n);
      const first = await store.forget([request]).catch((error: unknown) => (error as Error).message);
      dieAfter(Infinity);
      expect(Array.isArray(first) ? first[0]?.kind : first).toBe(n < 7 ? 'killed' : 'forgotten');
      const [repeated] = await store.accept([given]);
      expect(repeated?.kind).toBe('repeated');
      const [record] = await read.findNotifications([given.id]);
      const { deliveries, forgotten } = await read.count();
      // The tombstone comes with the last of them, and not before.
      expect(record?.forgottenAt === undefined).toBe(deliveries.failed > 0);
      expect(forgotten).toBe(record?.forgottenAt === undefined ? 0 : 1);
      const [again] = await store.forget([request]);
      expect(again?.kind).toBe('forgotten');
      expect((await read.count()).deliveries.failed).toBe(0);
    },
  );
});
