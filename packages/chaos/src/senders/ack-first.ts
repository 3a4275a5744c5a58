import { consumer, isDelivery, lock, sendLocked } from './parts.ts';
import type { KnownBadSender } from './sender.ts';

export const ackFirst: KnownBadSender = {
  name: 'ack-first',
  about: 'acks the message as soon as it is received, then sends',
  why: 'the worker dies between the ack and the send; nobody is woken for that message again',
  instead: 'ack when the delivery is settled, or waits in a store that brings it back by itself',
  caughtBy: ['lost'],
  setup: { provider: 'plain' },
  kinds: ['kill'],
  make: (config, options) =>
    consumer(config, options, (ports) => async (wake) => {
      if (!(await isDelivery(ports, wake))) return;
      // Done before it is done: the bug.
      await ports.queue.ack([wake]);
      const locked = await lock(ports, wake.id, 30_000);
      if (locked === null) return;
      await sendLocked(ports, locked);
    }),
};
