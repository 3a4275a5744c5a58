import { phoneNumbers } from '@sendonce/adapters/addresses/phone';
import { infobip } from '@sendonce/adapters/providers/infobip';
import { twilio } from '@sendonce/adapters/providers/twilio';
import { defineConfig, notification, type Ledger, type Provider } from '@sendonce/core';

/** From where your secrets are; `urls` is for tests. */
export interface SmsAccounts {
  readonly infobip: { readonly apiKey: string; readonly baseUrl: string };
  readonly twilio: { readonly accountSid: string; readonly authToken: string; readonly baseUrl?: string };
}

// #region providers
/** The first can be asked for a message whose answer was lost; the second steps in where the first says no or is away. */
export function smsProviders(accounts: SmsAccounts): readonly Provider[] {
  const from = 'Shop'; // a number in E.164, a short code, or a name of up to 11 letters and digits
  return [infobip({ ...accounts.infobip, from, maxSegments: 2 }), twilio({ ...accounts.twilio, from, maxSegments: 2 })];
}
// #endregion

// #region config
export interface Code {
  readonly attempt: string;
  readonly phone: string;
  readonly code: string;
}
export interface Order {
  readonly id: string;
  readonly phone: string;
}

export function configFor(ledger: Ledger, providers: readonly Provider[]) {
  return defineConfig({
    ledger,
    channels: { sms: { providers, addresses: phoneNumbers({ defaultCountry: 'DE', types: ['mobile'] }) } },
    notifications: {
      // Within seconds or never: nothing is begun five minutes after it was asked for, and twice is a nuisance.
      loginCode: notification({
        class: 'security',
        key: ({ attempt }: Code) => attempt,
        route: ({ phone }: Code) => [{ channel: 'sms', to: phone }],
        content: ({ code }: Code) => ({ text: `${code} is your code for the shop.` }),
      }),
      // Twice is a complaint: what nobody can tell is parked, and a person looks.
      shipped: notification({
        class: 'transactional',
        key: ({ id }: Order) => id,
        route: ({ phone }: Order) => [{ channel: 'sms', to: phone }],
        content: ({ id }: Order) => ({ text: `Order ${id} is on its way.` }),
      }),
    },
  });
}
// #endregion
