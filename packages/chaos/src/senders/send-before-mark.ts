import { consumer, contentOf, isDelivery, lock, mark, post, write } from './parts.ts';
import type { KnownBadSender } from './sender.ts';

export const sendBeforeMark: KnownBadSender = {
  name: 'send-before-mark',
  about: 'claims with a lease, sends, and writes afterwards that it tried',
  why: 'the worker dies between sending and writing; when its lease lapses nothing says that a message went out',
  instead: 'write the mark ahead: no durable mark, no first byte',
  caughtBy: ['duplicated'],
  setup: { provider: 'plain' },
  kinds: ['kill'],
  make: (config, options) =>
    consumer(config, options, (ports) => async (wake) => {
      if (!(await isDelivery(ports, wake))) return;
      const locked = await lock(ports, wake.id, 30_000);
      if (locked === null) {
        const [record] = await ports.ledger.find([wake.id]);
        if (record?.state === 'sent') await ports.queue.ack([wake]);
        else await ports.queue.release([wake], { delayMs: 35_000 });
        return;
      }
      const content = await contentOf(ports, locked.record, locked.data);
      const outcome = await post(ports, locked.record, content, 1);
      // Afterwards: the bug.
      const attempt = await mark(ports, locked.record, locked.fence, content);
      if (attempt !== null) await write(ports, locked.record, locked.fence, attempt, outcome);
      await ports.queue.ack([wake]);
    }),
};
