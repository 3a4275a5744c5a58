import { defineConfig, notification } from '@sendonce/core';
import { memoryLedger, memoryProvider } from '@sendonce/core/memory';
import { systemClock as clock } from '@sendonce/core/system';
import { z } from 'zod';

const Order = z.object({
  id: z.string().min(1),
  contacts: z.array(z.object({ name: z.string(), email: z.email() })).min(1),
});

// #region providers
// Two pretend providers: the first takes idempotency keys for a day, the second takes none and cannot be asked.
export const first = memoryProvider({ clock, name: 'first', model: 'keyed' });
export const second = memoryProvider({ clock, name: 'second', model: 'plain' });
// #endregion

export default defineConfig({
  ledger: memoryLedger({ clock }),
  channels: { email: { providers: [first, second] } },
  notifications: {
    // #region orderPlaced
    orderPlaced: notification({
      class: 'document',
      schema: Order,
      key: (order) => order.id,
      route: (order) => order.contacts.map(({ name, email }) => ({ channel: 'email', to: email, name })),
      content: (order, to) => ({
        subject: `Order ${order.id}`,
        text: `Dear ${String(to.data.name)}, order ${order.id} is on its way.`,
      }),
      sample: (i, random) => ({
        id: `o-${i}`,
        contacts: Array.from({ length: 1 + Math.floor(random() * 3) }, (_, n) => ({
          name: `Contact ${n}`,
          email: `contact-${n}@shop-${i}.example`,
        })),
      }),
    }),
    // #endregion
  },
});
