import { isSendonceError, type Notifier } from '@sendonce/core';
import type config from '../first-notifier/notify.config.ts';

type Orders = Notifier<(typeof config)['notifications']>;
interface Order {
  readonly id: string;
  readonly contacts: { name: string; email: string }[];
}

// #region publish
/** Called by the code that stores the order, and again by whatever repeats it: the second call writes nothing. */
export async function orderStored(notifier: Orders, order: Order): Promise<string> {
  const { id } = await notifier.publish('orderPlaced', order);
  return id;
}
// #endregion

// #region options
/** Not before eight in the morning, and not at all after noon. */
export async function remindAt(notifier: Orders, order: Order, eight: Date): Promise<void> {
  const fourHours = 4 * 60 * 60 * 1_000;
  await notifier.publish('orderPlaced', order, { key: `${order.id}:reminder`, sendAt: eight, expiresInMs: fourHours });
}
// #endregion

// #region many
/** One ledger call for all of them. A refused item has its error in its place; the others are stored. */
export async function ordersImported(notifier: Orders, orders: readonly Order[]): Promise<string[]> {
  const results = await notifier.publishMany(
    'orderPlaced',
    orders.map((data) => ({ data })),
  );
  return results.flatMap((result) => (result.kind === 'failed' ? [result.error.message] : []));
}
// #endregion

// #region recipients
/** A list of any length: read once, page by page, and frozen. Nobody gets anything before the last page is stored. */
export async function announce(notifier: Orders, people: AsyncIterable<{ email: string }>): Promise<void> {
  const recipients = (async function* () {
    for await (const { email } of people) yield { channel: 'email' as const, to: email };
  })();
  await notifier.send({
    key: 'maintenance:2026-03-01',
    class: 'transactional',
    recipients,
    content: { subject: 'Maintenance on Sunday', text: 'We are away from 02:00 to 03:00 UTC.' },
  });
}
// #endregion

// #region errors
/** A conflict is a bug in the key: two different messages under one name. Retrying it never helps. */
export async function publishOrSay(notifier: Orders, order: Order): Promise<string> {
  try {
    return (await notifier.publish('orderPlaced', order)).kind;
  } catch (error) {
    if (isSendonceError(error, 'NOTIFICATION_CONFLICT')) return 'another order has this id';
    throw error;
  }
}
// #endregion

// #region cancel
/** Answers who may have got it already: a delivery with an attempt under way is not called back, and not tried again. */
export async function orderWithdrawn(notifier: Orders, notificationId: string, by: string): Promise<readonly string[]> {
  const [verdict] = await notifier.cancel([notificationId], { by, why: 'the order was withdrawn' });
  return verdict?.kind === 'cancelled' ? verdict.tooLate : [];
}
// #endregion

// #region opt-out
/** Holds for what is queued already: every mark looks again. Classes `security` and `legal` cannot be opted out of. */
export async function unsubscribed(notifier: Orders, email: string): Promise<void> {
  await notifier.suppress([
    {
      tenant: 'default',
      recipientId: email.toLowerCase(),
      topic: 'orderPlaced',
      channel: 'email',
      suppressed: true,
      by: email,
      why: 'unsubscribe link',
    },
  ]);
}
// #endregion
