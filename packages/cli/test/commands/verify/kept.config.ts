import { defineConfig } from '@sendonce/core';
import { manualClock, memoryDestinations, memoryLedger, memoryProvider, memoryQueue } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';

const clock = manualClock();

/** Its queue keeps nothing, so it is judged as it is; its ledger keeps what is written, so it says how a new one is made. */
export default async () => {
  const ledger = memoryLedger({ clock });
  return defineConfig({
    ledger: { ...ledger, capabilities: { ...ledger.capabilities, durable: true } },
    queue: memoryQueue({ clock: systemClock }),
    channels: { email: { providers: [memoryProvider({ clock })] } },
    notifications: { hello: { class: 'transactional', content: () => ({ subject: 'x' }) } },
  });
};

export const verify = {
  destinations: () => memoryDestinations({ clock }),
  ledger: () => ({ ledger: memoryLedger({ clock }), unitMs: 1_000, elapse: (ms: number) => clock.advance(ms) }),
};
