import { consumer, contentOf, dataOf, isDelivery, lock, mark, post, write } from './parts.ts';
import type { KnownBadSender } from './sender.ts';

export const logCheck: KnownBadSender = {
  name: 'log-check',
  about: 'looks into the log whether the message was sent, sends, writes the log',
  why: 'two workers look at the same moment, or one dies between sending and writing: both find nothing in the log',
  instead: 'claim before sending, and write the mark before the first byte',
  caughtBy: ['duplicated'],
  setup: { provider: 'plain' },
  kinds: ['redeliver', 'twice', 'duplicate', 'kill'],
  make: (config, options) =>
    consumer(config, options, (ports) => async (wake) => {
      if (!(await isDelivery(ports, wake))) return;
      const [record] = await ports.ledger.find([wake.id]);
      if (record === undefined || record === null || record.state === 'sent')
        return void (await ports.queue.ack([wake]));
      const content = await contentOf(ports, record, await dataOf(ports, record));
      const outcome = await post(ports, record, content, 1);
      // The log is written afterwards: the bug.
      const locked = await lock(ports, wake.id, 60_000);
      const attempt = locked && (await mark(ports, locked.record, locked.fence, content));
      if (locked !== null && attempt !== null) await write(ports, locked.record, locked.fence, attempt, outcome);
      await ports.queue.ack([wake]);
    }),
};
