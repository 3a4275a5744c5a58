import { createServer, type RequestListener, type Server } from 'node:http';
import { inboxHandler, nodeListener } from '@sendonce/adapters/inboxes/handler';
import { sqliteInbox, type Inbox } from '@sendonce/adapters/inboxes/sqlite';
import { sqliteLedger } from '@sendonce/adapters/ledgers/sqlite';
import { inApp } from '@sendonce/adapters/providers/in-app';
import { createNotifier, notification, type Ledger, type Notifier } from '@sendonce/core';

// #region notifier
/** The inbox in the file of the ledger; it makes its own tables. */
export function storesIn(file: string): { readonly ledger: Ledger; readonly inbox: Inbox } {
  return { ledger: sqliteLedger({ file }), inbox: sqliteInbox({ file }) };
}

interface Order {
  readonly id: string;
  readonly customer: string;
}

const shipped = notification({
  class: 'transactional',
  key: (order: Order) => order.id,
  // For this channel the address is the recipient's own id.
  route: ({ customer }: Order) => [{ recipientId: customer, channel: 'in-app', to: customer }],
  content: ({ id }: Order) => ({
    title: 'Your order is on its way',
    text: `Order ${id} will be with you tomorrow.`,
    url: `/orders/${id}`,
  }),
});

export function notifierOn(ledger: Ledger, inbox: Inbox): Notifier<{ shipped: typeof shipped }> {
  return createNotifier({
    ledger,
    channels: { 'in-app': { providers: [inApp({ inbox })] } },
    notifications: { shipped },
  });
}
// #endregion

// #region server
/** `userOf` reads your session: nobody sees an inbox whose owner the server has not named. */
export function serve(inbox: Inbox, userOf: (cookie: string | null) => string | null, pages: RequestListener): Server {
  const listener = nodeListener(
    inboxHandler({
      inbox,
      who: ({ headers }) => {
        const recipientId = userOf(headers.get('cookie'));
        return recipientId === null ? null : { recipientId };
      },
      onError: console.error,
    }),
  );
  return createServer((request, response) => {
    if (/^\/inbox(?![^/?])/.test(request.url ?? '')) void listener(request, response);
    else pages(request, response);
  });
}
// #endregion

// #region retention
/** Once a day, from anywhere: half a year of messages is enough. A thousand at a time, so that nobody waits long. */
export async function cleanOld(inbox: Inbox): Promise<void> {
  const halfAYear = 182 * 24 * 60 * 60 * 1_000;
  while ((await inbox.clean({ olderThanMs: halfAYear, max: 1_000 })) === 1_000);
}

/** When a person wants to be forgotten. Let the deliveries that are open end first, or they come in again. */
export async function forget(inbox: Inbox, recipientId: string): Promise<number> {
  return inbox.erase({ recipientId });
}
// #endregion
