import { consumer, isDelivery, lock, sendLocked } from './parts.ts';
import type { KnownBadSender } from './sender.ts';

const LOCK_MS = 300_000;

export const naiveLock: KnownBadSender = {
  name: 'naive-lock',
  about: 'takes a lock for five minutes (SET key NX EX 300), acks the message when it is not free, sends',
  why: 'the worker dies with the lock in its hand, and the redelivered message is acked because the lock is taken',
  instead: 'release the message until the lock could have lapsed; only a settled delivery is acked',
  caughtBy: ['lost'],
  setup: { provider: 'plain' },
  kinds: ['kill'],
  make: (config, options) =>
    consumer(config, options, (ports) => async (wake) => {
      if (!(await isDelivery(ports, wake))) return;
      const locked = await lock(ports, wake.id, LOCK_MS);
      // "Somebody else is at it": the bug.
      if (locked === null) return void (await ports.queue.ack([wake]));
      if (await sendLocked(ports, locked)) await ports.queue.ack([wake]);
    }),
};
