import { createNotifier, type DeliveryRecord, type Ledger, type NotificationType, type Notifier } from '@sendonce/core';
import { memoryProvider, type ProviderAnswer } from '@sendonce/core/memory';
import { systemClock as clock } from '@sendonce/core/system';

/** Somebody's application on a ledger: publishes, and runs a worker with a provider that answers as it is told. */
export interface Shop {
  readonly notifier: Notifier<Record<'news' | 'brief', NotificationType<object>>>;
  /** Who got something, in order. */
  readonly mailbox: () => readonly string[];
  /** Runs a worker until nothing is due any more. */
  readonly work: () => Promise<void>;
}

export const DOWN: ProviderAnswer = { reply: { kind: 'not-sent', reason: 'connection refused' } };
export const REFUSES: ProviderAnswer = {
  reply: { kind: 'rejected', scope: 'message', reason: 'no template for ann@example.org', code: 'T404' },
};
export const LOST: ProviderAnswer = { taken: true, reply: { kind: 'unknown', reason: 'connection reset' } };

export function shop(ledger: Ledger, answer: (to: string) => ProviderAnswer | undefined): Shop {
  const provider = memoryProvider({
    clock,
    name: 'first',
    model: 'plain',
    answer: ({ message }) => answer(message.to),
  });
  const content = (): { subject: string } => ({ subject: 'News for ann@example.org' });
  const type = { class: 'transactional', maxAttempts: 1, content } as const;
  const notifier = createNotifier({
    ledger,
    channels: { email: { providers: [provider] } },
    notifications: { news: type, brief: { ...type, expiresInMs: 3_600_000 } },
    worker: { pollMs: 5, sweepMs: 20, concurrency: 500, batch: 500, chunk: 500 },
  });
  return {
    notifier,
    mailbox: () => provider.mailbox.map(({ to }) => to),
    async work() {
      const stop = new AbortController();
      const running = notifier.worker().run({ signal: stop.signal });
      while (await hasWork(notifier)) await clock.sleep(20);
      stop.abort();
      await running;
    },
  };
}

async function hasWork(notifier: Pick<Notifier, 'status'>): Promise<boolean> {
  const { deliveries, notifications } = await notifier.status();
  const { queued, processing, dispatching, unknown } = deliveries;
  return queued + processing + dispatching + unknown + notifications.accepted + notifications.expanding > 0;
}

/** Everything in a ledger. */
export async function all(ledger: Ledger): Promise<readonly DeliveryRecord[]> {
  const found: DeliveryRecord[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Ledger['list']>> = await ledger.list({}, { limit: 500, cursor });
    found.push(...page.items);
    ({ cursor } = page);
  } while (cursor !== null);
  return found;
}

export function people(prefix: string, count: number): { channel: 'email'; to: string }[] {
  return Array.from({ length: count }, (_, i) => ({ channel: 'email', to: `${prefix}-${i}@example.org` }));
}
