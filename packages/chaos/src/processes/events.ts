import type { HistoryEvent } from '../history.ts';
import type { ExplainedKill } from './facts.ts';
import type { MailboxLine } from './mailbox-file.ts';

/** The messages and the kills of a real run as a history, in the order of the run's clock, which all processes share. */
export function eventsOf(mailbox: readonly MailboxLine[], kills: readonly ExplainedKill[]): readonly HistoryEvent[] {
  const messages = mailbox.map(
    ({ at, worker, provider, deliveryId, attempt, key, channel, to, body, id }): HistoryEvent => ({
      at,
      process: worker,
      kind: 'provider',
      provider,
      deliveryId,
      attempt,
      key,
      channel,
      to,
      body,
      outcome: 'accepted',
      providerMessageId: id,
      reply: 'accepted',
    }),
  );
  const deaths = kills.map(({ at, worker, why }): HistoryEvent => ({
    at,
    process: worker,
    kind: 'process',
    what: 'kill',
    why,
  }));
  return [...messages, ...deaths].sort((a, b) => a.at - b.at);
}
