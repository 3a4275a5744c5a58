import { createNotifier, defineConfig, notification, type Queue } from '@sendonce/core';
import { memoryLedger, memoryProvider } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';

const RECIPIENTS = 200;

/**
 * 200 recipients over a ledger in memory, two workers, and a queue that loses everything twice on the way. Answers how often each of
 * them was sent to, sorted.
 */
export async function runWithPurges(queue: Queue, purge: () => Promise<void>): Promise<readonly number[]> {
  const provider = memoryProvider({ name: 'mail', clock: systemClock });
  const notifier = createNotifier(
    defineConfig({
      ledger: memoryLedger({ clock: systemClock }),
      queue,
      channels: { email: { providers: [provider] } },
      notifications: {
        news: notification<{ readonly id: string }>({
          class: 'transactional',
          key: ({ id }) => id,
          route: () => recipients().map((to) => ({ channel: 'email', to })),
          content: () => ({ subject: 'News', text: 'News' }),
        }),
      },
      worker: { concurrency: 8, batch: 8, chunk: 50, waitMs: 200, sweepMs: 100, lateMs: 300 },
    }),
  );
  const stop = new AbortController();
  await notifier.publish('news', { id: 'n1' });
  // Whatever said that the notification is due.
  await purge();
  const working = [1, 2].map(() => notifier.worker().run({ signal: stop.signal }));
  await until(() => provider.mailbox.length >= RECIPIENTS / 4);
  await purge();
  await until(() => provider.mailbox.length >= RECIPIENTS);
  stop.abort();
  await Promise.all(working);
  await notifier.close();
  const counts = new Map(recipients().map((to) => [to, 0]));
  for (const { to } of provider.mailbox) counts.set(to, (counts.get(to) ?? 0) + 1);
  return [...counts.values()].sort();
}

export const EACH_ONCE: readonly number[] = Array.from({ length: RECIPIENTS }, () => 1);

function recipients(): string[] {
  return Array.from({ length: RECIPIENTS }, (_, i) => `r${i}@example.com`);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await systemClock.sleep(10);
}
