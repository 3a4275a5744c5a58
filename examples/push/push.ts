import { apns } from '@sendonce/adapters/providers/apns';
import { fcm } from '@sendonce/adapters/providers/fcm';
import { webPush, type VapidKeys } from '@sendonce/adapters/providers/web-push';
import {
  defineConfig,
  notification,
  type Destinations,
  type Ledger,
  type OutgoingMessage,
  type Provider,
} from '@sendonce/core';

/** From where your secrets are; the addresses are for tests. */
export interface PushAccounts {
  /** The JSON of a service account, as Firebase gives it. */
  readonly google: { readonly serviceAccount: string | Readonly<Record<string, unknown>>; readonly baseUrl?: string };
  /** `key` is the text of the `.p8` file, not its path. */
  readonly apple: {
    readonly key: string;
    readonly keyId: string;
    readonly teamId: string;
    readonly topic: string;
    readonly baseUrl?: string;
  };
  readonly browsers: {
    readonly vapid: VapidKeys;
    readonly allow?: (url: URL) => boolean;
    readonly privateAddresses?: boolean;
  };
}

// #region provider
/** One provider for the channel: each token goes to the service that gave it out, and to no other. */
export function push({ google, apple, browsers }: PushAccounts): Provider {
  const services = { google: fcm(google), apple: apns(apple), browsers: webPush(browsers) };
  const of = ({ to }: OutgoingMessage): Provider => services[serviceOf(to)];
  return {
    name: 'push',
    // The same of all three: no service drops a repeat, each shows one message in place of the other.
    capabilities: services.google.capabilities,
    check: (message) => of(message).check?.(message) ?? null,
    send: (message, context) => of(message).send(message, context),
    close: async () => void (await Promise.all(Object.values(services).map((each) => each.close()))),
  };
}

function serviceOf(token: string): 'google' | 'apple' | 'browsers' {
  if (token.trim().startsWith('{')) return 'browsers'; // JSON.stringify(subscription)
  return /^[0-9a-f]{64,200}$/i.test(token.trim()) ? 'apple' : 'google';
}
// #endregion

// #region config
export interface Order {
  readonly id: string;
  readonly customer: string;
}

export function configFor(ledger: Ledger, destinations: Destinations, provider: Provider) {
  return defineConfig({
    ledger,
    destinations,
    channels: { push: { providers: [provider] } },
    notifications: {
      shipped: notification({
        class: 'transactional',
        key: ({ id }: Order) => id,
        // An id and no token: to each of this customer's devices.
        route: ({ customer }: Order) => [{ channel: 'push', id: customer }],
        content: ({ id }: Order) => ({ subject: 'On its way', text: `Order ${id} has left us.` }),
        // A phone that was off for long shall not tell old news.
        expiresInMs: 4 * 3_600_000,
      }),
    },
  });
}
// #endregion

// #region register
/** Called by the app at every start while somebody is logged in, and whenever its token changes. */
export async function appStarted(
  destinations: Destinations,
  app: { readonly customer: string; readonly installation: string; readonly token: string },
): Promise<void> {
  const { customer: recipientId, installation: id, token: to } = app;
  const [verdict] = await destinations.register([{ tenant: 'default', channel: 'push', recipientId, id, to }]);
  if (verdict?.kind === 'refused') throw new Error(`no token: ${verdict.reason}`);
}
// #endregion
