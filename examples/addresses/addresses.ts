import { phoneNumbers } from '@sendonce/adapters/addresses/phone';
import { checkedDestinations } from '@sendonce/adapters/destinations/checked';
import { defineConfig, notification, type Destinations, type Ledger, type Provider } from '@sendonce/core';

// #region rule
export const numbers = phoneNumbers({ defaultCountry: 'DE', types: ['mobile'] });

export function config(ledger: Ledger, store: Destinations, sms: Provider) {
  return defineConfig({
    ledger,
    destinations: checkedDestinations(store, { sms: numbers }),
    channels: { sms: { providers: [sms], addresses: numbers } },
    notifications: {
      shipped: notification<{ readonly order: string; readonly phones: readonly string[] }>({
        class: 'transactional',
        key: ({ order }) => order,
        route: ({ phones }) => phones.map((to) => ({ channel: 'sms', to })),
        content: ({ order }) => ({ text: `Order ${order} is on its way.` }),
      }),
    },
  });
}
// #endregion rule

// #region form
/** In the form of a sign-up: what is kept is the number in its one form. */
export function signUp(typed: string): { readonly phone: string } | { readonly error: string } {
  const verdict = numbers(typed);
  return verdict.kind === 'usable' ? { phone: verdict.to } : { error: verdict.problem };
}
// #endregion form
