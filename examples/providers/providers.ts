import { defineConfig, notification } from '@sendonce/core';
import { memoryLedger } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';
import { smtp } from '@sendonce/adapters/providers/smtp';
import { webhook } from '@sendonce/adapters/providers/webhook';

interface Servers {
  readonly mail: { readonly host: string; readonly port: number };
  readonly hooks: (url: URL) => boolean;
  readonly secret: string;
}

interface Invoice {
  readonly id: string;
  readonly customer: { readonly email: string; readonly hook: string };
  /** The document, in base64. */
  readonly pdf: string;
}

export function configFor({ mail, hooks, secret }: Servers) {
  // #region smtp
  const email = smtp({
    ...mail, // host, port
    from: 'Example Shop <invoices@example.com>',
  });
  // #endregion

  // #region webhook
  const hook = webhook({
    allow: hooks, // (url) => url.protocol === 'https:' && ours.has(url.hostname)
    privateAddresses: true, // only here, where the receiver is on this machine
    secret,
  });
  // #endregion

  return defineConfig({
    ledger: memoryLedger({ clock: systemClock }),
    channels: { email: { providers: [email] }, webhook: { providers: [hook] } },
    notifications: {
      invoiceReady: notification({
        class: 'document',
        key: (invoice: Invoice) => invoice.id,
        route: ({ customer }) => [
          { channel: 'email', to: customer.email },
          { channel: 'webhook', to: customer.hook },
        ],
        // #region content
        content: ({ id, pdf }, { channel }) =>
          channel === 'email'
            ? {
                subject: `Invoice ${id}`,
                text: 'Your invoice is attached.',
                headers: { 'X-Invoice': id },
                attachments: [
                  { filename: `${id}.pdf`, content: pdf, encoding: 'base64', contentType: 'application/pdf' },
                ],
              }
            : { type: 'invoice.ready', data: { id } },
        // #endregion
      }),
    },
  });
}
