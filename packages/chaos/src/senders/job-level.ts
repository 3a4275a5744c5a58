import { kindOf, type DeliveryRecord } from '@sendonce/core';
import { consumer, contentOf, dataOf, lock, mark, post, write, type Ports } from './parts.ts';
import type { KnownBadSender } from './sender.ts';

export const jobLevel: KnownBadSender = {
  name: 'job-level',
  about: 'works off all recipients of a notification as one job, and acks the job at the end',
  why: 'the worker dies at recipient 800 of 2,000; the job starts again at the first, and 800 people get it twice',
  instead: 'one delivery per recipient, each with its own record',
  caughtBy: ['duplicated'],
  setup: { provider: 'plain', workers: 1 },
  kinds: ['kill'],
  make: (config, options) =>
    consumer(config, options, (ports) => async (wake, signal) => {
      if (kindOf(wake.id) === 'delivery') return void (await ports.queue.ack([wake]));
      const [notification] = await ports.ledger.findNotifications([wake.id]);
      if (notification?.state === 'done') return void (await ports.queue.ack([wake]));
      if (notification?.state !== 'expanded') return void (await ports.queue.release([wake], { delayMs: 1_000 }));
      const job = await recipientsOf(ports, wake.id);
      for (const record of job) {
        if (signal.aborted) return;
        await ports.queue.extend([wake], { leaseMs: 60_000 });
        await post(ports, record, await contentOf(ports, record, await dataOf(ports, record)), 1);
      }
      // Progress is written when all is done: the bug.
      for (const record of job) await log(ports, record);
      await ports.queue.ack([wake]);
    }),
};

async function recipientsOf(ports: Ports, notificationId: string): Promise<readonly DeliveryRecord[]> {
  const all: DeliveryRecord[] = [];
  let cursor: string | null = null;
  do {
    const page = await ports.ledger.list({ notificationId }, { limit: 500, cursor });
    all.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== null);
  return all;
}

async function log(ports: Ports, record: DeliveryRecord): Promise<void> {
  const locked = await lock(ports, record.id, 60_000);
  const attempt = locked && (await mark(ports, locked.record, locked.fence, {}));
  if (locked === null || attempt === null) return;
  await write(ports, locked.record, locked.fence, attempt, { kind: 'accepted', providerMessageId: `job-${record.id}` });
}
