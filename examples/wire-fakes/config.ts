import { defineConfig, notification } from '@sendonce/core';
import { memoryLedger } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';
import { sendgrid } from '@sendonce/adapters/providers/sendgrid';
import { ses } from '@sendonce/adapters/providers/ses';

/** Where the vendors are: left out in production. */
interface Vendors {
  readonly sendgridUrl?: string;
  readonly sesUrl?: string;
}

interface Order {
  readonly id: string;
  readonly email: string;
}

// #region config
export function configFor({ sendgridUrl, sesUrl }: Vendors = {}) {
  const from = 'Shop <orders@shop.test>';
  const first = sendgrid({ apiKey: 'SG.secret', from, ...(sendgridUrl && { baseUrl: sendgridUrl }) });
  const second = ses({
    from,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret' },
    ...(sesUrl && { endpoint: sesUrl }),
  });
  const mailTo = {
    key: ({ id }: Order) => id,
    route: ({ email }: Order) => [{ channel: 'email' as const, to: email }],
    content: ({ id }: Order) => ({ subject: `Order ${id}`, text: 'Thank you.' }),
  };
  return defineConfig({
    ledger: memoryLedger({ clock: systemClock }),
    channels: { email: { providers: [first, second] } },
    notifications: {
      invoice: notification({ class: 'document', ...mailTo }),
      receipt: notification({ class: 'transactional', ...mailTo }),
    },
  });
}
// #endregion
