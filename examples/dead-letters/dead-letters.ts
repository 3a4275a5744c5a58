import type { Counts, DeliveryRecord, Ledger, Notifier, ReplayVerdict } from '@sendonce/core';

type AnyNotifier = Pick<Notifier<Record<never, never>>, 'record' | 'replay' | 'status'>;

// #region count
/** Settled without proof that they arrived, by how. */
export function deadLetters({ deliveries }: Counts): Readonly<Record<'dead' | 'failed' | 'parked', number>> {
  const { dead, failed, parked } = deliveries;
  return { dead, failed, parked };
}
// #endregion

// #region list
/** Every dead letter that nobody has replaced yet, with its reason. */
export async function unreplaced(ledger: Ledger): Promise<readonly DeliveryRecord[]> {
  const found: DeliveryRecord[] = [];
  let cursor: string | null = null;
  do {
    const page = await ledger.list({ states: ['dead', 'failed', 'parked'] }, { limit: 100, cursor });
    found.push(...page.items.filter((record) => record.replacedBy === null));
    ({ cursor } = page);
  } while (cursor !== null);
  return found;
}
// #endregion

// #region replay
/** Makes generation n + 1 of each. Repeating the call makes no third one: it answers the same ids as `repeated`. */
export async function sendAgain(notifier: AnyNotifier, ids: readonly string[]): Promise<readonly ReplayVerdict[]> {
  return notifier.replay(ids, { by: 'ops@example.com', why: 'provider outage of 1 March is over' });
}
// #endregion

// #region evidence
/** The provider's support confirmed that a parked message went out. */
export async function confirmed(notifier: AnyNotifier, deliveryId: string, providerMessageId: string): Promise<void> {
  await notifier.record([
    {
      deliveryId,
      provider: 'second',
      providerMessageId,
      kind: 'accepted',
      at: Date.now(),
      detail: 'ticket 4711',
    },
  ]);
}
// #endregion
