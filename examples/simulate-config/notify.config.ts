// Three kinds of notification that want different things when an answer is lost. Try it, nothing is sent:
//   npx notify simulate --config examples/simulate-config/notify.config.ts
//   npx notify simulate --config examples/simulate-config/notify.config.ts --recipients-file examples/data/recipients.csv
import { defineConfig, notification, type Provider } from '@sendonce/core';
import { memoryLedger } from '@sendonce/core/memory';
import { systemClock as clock } from '@sendonce/core/system';
import { z } from 'zod';
import { httpProvider } from '../your-own-provider/http-provider.ts';

const Order = z.object({
  id: z.string().min(1),
  total: z.number().positive(),
  contacts: z.array(z.object({ name: z.string(), email: z.email() })).min(1),
});
const Login = z.object({ user: z.string(), phone: z.string(), code: z.string().length(6) });
const Issue = z.object({ number: z.number().int(), title: z.string() });

// A simulation looks at what a provider can do and never calls it, so the addresses and secrets may be missing in a CI.
const token = process.env['MAIL_TOKEN'] ?? '';
const mail = httpProvider({ name: 'mail', url: 'https://mail.example/v1/send', token });
const spare = withoutKeys(httpProvider({ name: 'spare', url: 'https://spare.example/send', token }));
const text = withoutKeys(httpProvider({ name: 'text', url: 'https://text.example/sms', token }));

export default defineConfig({
  ledger: memoryLedger({ clock }),
  channels: { email: { providers: [mail, spare] }, sms: { providers: [text] } },
  notifications: {
    // An order may come twice rather than never: what the first provider leaves open goes to the second, declared.
    orderPlaced: notification<z.infer<typeof Order>>({
      class: 'document',
      schema: Order,
      key: ({ id }) => id,
      route: ({ contacts }) => contacts.map(({ name, email }) => ({ channel: 'email', to: email, name })),
      content: ({ id, total }, to) => ({
        subject: `Order ${id}`,
        text: `Dear ${String(to.data['name'])}, we got order ${id} over ${total.toFixed(2)} EUR.`,
      }),
      sample: (i, random) => ({
        id: `o-${i}`,
        total: 1 + Math.floor(random() * 10_000) / 100,
        contacts: Array.from({ length: 1 + Math.floor(random() * 3) }, (_, n) => ({
          name: `Contact ${n}`,
          email: `contact-${n}@shop-${i}.example`,
        })),
      }),
    }),
    // A code that does not come is a locked door: when in doubt, again.
    loginCode: notification<z.infer<typeof Login>>({
      class: 'security',
      schema: Login,
      key: ({ user, code }) => `${user}:${code}`,
      route: ({ phone }) => [{ channel: 'sms', to: phone }],
      content: ({ code }) => ({ text: `Your code is ${code}` }),
      sample: (i, random) => ({
        user: `u-${i}`,
        phone: `+4930${String(1_000_000 + i)}`,
        code: String(100_000 + Math.floor(random() * 900_000)),
      }),
    }),
    // No route: the list comes with `publish`; here from --recipients-file, else from the seed.
    newsletter: notification<z.infer<typeof Issue>>({
      class: 'marketing',
      schema: Issue,
      key: ({ number }) => `issue-${number}`,
      content: ({ title }, to) => ({
        subject: title,
        text: `Dear ${String(to.data['name'])}, here is the news.`,
      }),
      expiresInMs: 2 * 24 * 60 * 60 * 1_000,
      sample: (i) => ({ number: i + 1, title: `News ${i + 1}` }),
    }),
  },
});

function withoutKeys(provider: Provider): Provider {
  return { ...provider, capabilities: { ...provider.capabilities, idempotency: { kind: 'none' } } };
}
