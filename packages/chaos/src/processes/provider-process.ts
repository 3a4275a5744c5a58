import { rm } from 'node:fs/promises';
import { memoryQueue } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';
import { knobsOf } from '../world/knobs.ts';
import { sharedClock } from './clock.ts';
import { capabilitiesOf, queueCapabilities } from './config.ts';
import { wordsOf } from './harness-failed.ts';
import { serve } from './loopback.ts';
import { openMailbox, type MailboxFile } from './mailbox-file.ts';
import { ordersFromParent } from './orders-from-parent.ts';
import type { ProviderNews, ProviderOrders, Release } from './orders.ts';
import { fakeProvider, type SendRequest } from './provider-server.ts';
import { queueServer } from './queue-http.ts';

/** The whole life of the process that plays everything the workers do not own: the providers, their mailbox, and the queue. */
export async function runProviderProcess(): Promise<void> {
  let folder: string | null = null;
  const orders = await ordersFromParent<ProviderOrders>(() => removeLater(folder));
  const { setup, seed, clock: clockOrders, hold, scripts } = orders;
  folder = orders.folder;
  const knobs = knobsOf(setup.knobs);
  const clock = sharedClock(clockOrders);
  const mailbox = mortal(await openMailbox(orders.mailbox));
  const wanted = new Set(hold);
  /** How many more acceptances are held, whichever come. */
  let more = 0;
  const holding = new Map<number, (answer: boolean) => void>();
  const provider = fakeProvider({
    capabilities: capabilitiesOf(setup, knobs),
    knobs,
    seed,
    clock,
    mailbox,
    scripts,
    fired: (index) => tell({ kind: 'fired', index }),
    held(acceptance: number, { worker, pid, message: { deliveryId } }: SendRequest) {
      if (!wanted.delete(acceptance)) {
        if (more === 0) return Promise.resolve(true);
        more -= 1;
      }
      return new Promise((resolve) => {
        holding.set(acceptance, resolve);
        tell({ kind: 'held', acceptance, worker, pid, deliveryId });
      });
    },
  });
  const queue = queueServer(memoryQueue({ clock, ...queueCapabilities(knobs) }));
  const { port, server } = await serve({ '/send': provider.send, '/lookup': provider.lookup, '/queue': queue });
  process.on('message', ({ acceptance, answer, another }: Release) => {
    if (another) more += 1;
    holding.get(acceptance)?.(answer);
  });
  process.once('SIGTERM', () => {
    server.close();
    server.closeAllConnections();
    void mailbox.close().then(() => process.exit(0));
  });
  tell({ kind: 'listening', port });
}

/** A message that is not on the disk was never taken, and whoever sent it must not be blamed: without its mailbox there is no provider. */
function mortal(mailbox: MailboxFile): MailboxFile {
  return {
    ...mailbox,
    append: (line) =>
      mailbox.append(line).catch((error: unknown) => {
        process.stderr.write(`the mailbox cannot be written: ${wordsOf(error)}\n`);
        process.exit(1);
      }),
  };
}

/** How long the workers, orphans too, take to end, ms. */
const WORKERS_END_MS = 500;

async function removeLater(folder: string | null): Promise<void> {
  if (folder === null) return;
  await systemClock.sleep(WORKERS_END_MS);
  await rm(folder, { recursive: true, force: true });
}

function tell(news: ProviderNews): void {
  process.send?.(news);
}
