import { decide, portsOf, sendLocked } from './parts.ts';
import type { KnownBadSender } from './sender.ts';

const FOR_EVER_MS = 365 * 86_400_000;

export const cursorOnRead: KnownBadSender = {
  name: 'cursor-on-read',
  about: 'reads recipients in batches and moves its resume pointer when a batch is read',
  why: 'the worker dies in the middle of a batch; the pointer is past it, and the rest of the batch is never sent',
  instead: 'a lease that lapses: what was read and not settled is handed out again',
  caughtBy: ['lost'],
  setup: { provider: 'plain', workers: 1 },
  kinds: ['kill'],
  make: (config, options) => ({
    async run({ signal }) {
      const ports = portsOf(config, options);
      const work = async (): Promise<void> => {
        while (!signal.aborted) {
          // A claim that never lapses is a pointer that moved on reading: the bug.
          const lease = { owner: ports.random.id(), requestId: ports.random.id(), leaseMs: FOR_EVER_MS };
          const batch = await ports.ledger.claim({ due: 20, lateMs: 0 }, lease).catch(() => []);
          for (const read of batch) {
            if (read.kind === 'granted') await sendLocked(ports, read);
          }
          if (batch.length === 0) await ports.clock.sleep(1_000, signal);
        }
      };
      await Promise.all([decide(config, options, signal), work()]);
    },
  }),
};
