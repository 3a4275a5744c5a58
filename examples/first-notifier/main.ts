import { createNotifier, defineConfig, notification } from '@sendonce/core';
import { memoryLedger, memoryProvider } from '@sendonce/core/memory';
import { systemClock as clock } from '@sendonce/core/system';

interface Order {
  id: string;
  contacts: { name: string; email: string }[];
}

const pretend = memoryProvider({ clock }); // keeps what it is given instead of sending it
const done = new AbortController();

const config = defineConfig({
  ledger: memoryLedger({ clock }), // in this process; gone when it ends
  channels: { email: { providers: [pretend] } },
  notifications: {
    orderPlaced: notification<Order>({
      class: 'document',
      key: (order) => order.id,
      route: (order) => order.contacts.map(({ name, email }) => ({ channel: 'email', to: email, name })),
      content: (order, to) => ({ subject: `Order ${order.id}`, text: `Dear ${String(to.data.name)}, ...` }),
    }),
  },
  telemetry: [{ emit: (event) => event.kind === 'notification.moved' && event.to === 'done' && done.abort() }],
});

const notifier = createNotifier(config);
const order = {
  id: 'o-17',
  contacts: [
    { name: 'Ann', email: 'ann@example.com' },
    { name: 'Bob', email: 'bob@example.com' },
  ],
};
console.log((await notifier.publish('orderPlaced', order)).kind); // accepted
console.log((await notifier.publish('orderPlaced', order)).kind); // repeated: same key, same body

await notifier.worker().run({ signal: done.signal }); // with a shared ledger: in any process
console.log(pretend.mailbox.map(({ to, content }) => `${to}: ${content.subject}`));
await notifier.close();
