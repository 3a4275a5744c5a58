// What happens to everybody else when one row is bad: `route` throws for one order, `content` for one contact. Try it, nothing is sent:
//   npx notify simulate --config examples/simulate-config/one-bad-row.config.ts
import { defineConfig, notification } from '@sendonce/core';
import { memoryLedger } from '@sendonce/core/memory';
import { systemClock as clock } from '@sendonce/core/system';
import { httpProvider } from '../your-own-provider/http-provider.ts';

interface Contact {
  readonly email: string;
  /** Some rows of the customer database have none. */
  readonly name?: string;
}
interface Order {
  readonly id: string;
  readonly contacts?: readonly Contact[];
}

const mail = httpProvider({
  name: 'mail',
  url: 'https://mail.example/v1/send',
  token: process.env['MAIL_TOKEN'] ?? '',
});

export default defineConfig({
  ledger: memoryLedger({ clock }),
  channels: { email: { providers: [mail] } },
  notifications: {
    orderPlaced: notification<Order>({
      class: 'document',
      key: ({ id }) => id,
      route: ({ id, contacts }) => {
        if (contacts === undefined) throw new Error(`order ${id} has no contacts`);
        return contacts.map(({ email, name }) => ({ channel: 'email', to: email, name }));
      },
      content: ({ id }, to) => ({ subject: `Order ${id}`, text: `Dear ${nameIn(to.data)}, we got your order.` }),
      sample: (i) => ({ id: `o-${i}`, ...(i === 3 ? {} : { contacts: contactsOf(i) }) }),
    }),
  },
});

function nameIn({ name }: Readonly<Record<string, unknown>>): string {
  if (typeof name !== 'string') throw new Error('a contact without a name');
  return name;
}

function contactsOf(i: number): readonly Contact[] {
  const second = { email: `second-${i}@shop.example`, ...(i === 5 ? {} : { name: 'Second' }) };
  return [{ email: `first-${i}@shop.example`, name: 'First' }, second];
}
