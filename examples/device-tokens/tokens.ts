import { defineConfig, notification, type Destinations, type Ledger, type Provider } from '@sendonce/core';

// #region config
export function config(ledger: Ledger, destinations: Destinations, push: Provider) {
  return defineConfig({
    ledger,
    destinations,
    channels: { push: { providers: [push] } },
    notifications: {
      shipped: notification<{ readonly order: string; readonly customer: string }>({
        class: 'transactional',
        key: ({ order }) => order,
        // An id and no address: to each of this customer's devices.
        route: ({ customer }) => [{ channel: 'push', id: customer }],
        content: ({ order }) => ({ subject: 'On its way', text: `Order ${order} has left us.` }),
      }),
    },
  });
}
// #endregion

// #region register
/** Called by the app at every start while somebody is logged in, and whenever its token changes. */
export async function appStarted(
  destinations: Destinations,
  {
    customer,
    installation,
    token,
  }: { readonly customer: string; readonly installation: string; readonly token: string },
): Promise<void> {
  const device = { tenant: 'default', channel: 'push', recipientId: customer, id: installation, to: token } as const;
  const [verdict] = await destinations.register([device]);
  if (verdict?.kind === 'refused') throw new Error(`no token: ${verdict.reason}`);
}
// #endregion

// #region logout
export async function loggedOut(destinations: Destinations, customer: string, installation: string): Promise<void> {
  await destinations.remove([{ tenant: 'default', channel: 'push', recipientId: customer, id: installation }]);
}
// #endregion

// #region list
/** Addresses that another system knows not to be written to. Again is no harm: what is suppressed already is `unchanged`. */
export async function importSuppressions(
  destinations: Destinations,
  rows: readonly { readonly email: string; readonly why: string; readonly at: Date }[],
): Promise<number> {
  const requests = rows.map(({ email, why, at }) => ({
    ...({ tenant: 'default', channel: 'email', to: email, suppressed: true } as const),
    ...{ reason: why, by: 'import', at: at.getTime() },
  }));
  let suppressed = 0;
  for (let from = 0; from < requests.length; from += 1_000) {
    const verdicts = await destinations.suppress(requests.slice(from, from + 1_000));
    suppressed += verdicts.filter(({ kind }) => kind === 'suppressed').length;
  }
  return suppressed;
}
// #endregion

// #region look
/** What is dead, and on what evidence, page by page. */
export async function* deadDevices(destinations: Destinations) {
  for (let after: string | null = ''; after !== null;) {
    const page = await destinations.list({ tenant: 'default', channel: 'push', state: 'dead', after });
    for (const { address, since, reason, evidence } of page.addresses) yield { address, since, reason, evidence };
    after = page.next;
  }
}
// #endregion
