import { createNotifier, notification, type Ledger, type Notifier, type Provider } from '@sendonce/core';

export interface Order {
  readonly id: string;
  readonly email: string;
}

const orderPlaced = notification({
  class: 'transactional',
  key: ({ id }: Order) => id,
  route: ({ email }: Order) => [{ channel: 'email', to: email }],
  content: ({ id }: Order) => ({ subject: `Order ${id}`, text: 'Thank you.' }),
});

/** A notifier with the one type that examples about where events come from publish. */
export function notifierOn(ledger: Ledger, mail: Provider): Notifier<{ orderPlaced: typeof orderPlaced }> {
  return createNotifier({ ledger, channels: { email: { providers: [mail] } }, notifications: { orderPlaced } });
}
