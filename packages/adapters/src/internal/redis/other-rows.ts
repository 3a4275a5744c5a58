import type { DeliveryRecord } from '@sendonce/core';
import { keyOfEvidence, messageKey } from '@sendonce/core/records';
import type { Known } from '../ahead/known.ts';
import { plain } from '../ahead/plain.ts';
import type { Run } from '../ahead/run.ts';
import type { Lists } from './lists.ts';
import { SEPARATOR } from './script.ts';

/** What belongs to no delivery. */
export function otherLists(run: Run, known: Known): Lists {
  const { gates, evidence, claim, strays } = run;
  return {
    kept: evidence.kept().map((each) => {
      const { deliveryId, provider, providerMessageId, kind } = each;
      const message = providerMessageId === null ? '' : plain(messageKey(provider, providerMessageId));
      const was = message === '' ? [] : (known.ids('message', message) ?? []);
      const isAbsent = deliveryId !== null && known.delivery(deliveryId) === null;
      const name = [provider, providerMessageId ?? '', kind].map(plain).join(SEPARATOR);
      const absent = isAbsent ? plain(deliveryId) : '';
      return [plain(keyOfEvidence(each)), absent, message, was.join(SEPARATOR), name, JSON.stringify(each)];
    }),
    suppressions: Array.from(gates.suppressions.values(), ({ tenant, recipientId, topic, channel, ...rest }) => [
      nameOf(tenant, recipientId),
      [plain(topic), channel].join(SEPARATOR),
      rest.suppressed ? JSON.stringify([rest.by, rest.why]) : '',
    ]),
    blocks: Array.from(gates.blocks.values(), ({ scope, blocked, recheckMs, by, why }) => [
      plain(scope),
      blocked ? [recheckMs, JSON.stringify([by, why])].join(SEPARATOR) : '',
    ]),
    claims: claim === null ? [] : [[plain(claim.requestId), claim.untilMs, JSON.stringify(claim.ids)]],
    strays: Array.from(strays, (id) => [plain(id)]),
    damaged: Array.from(known.damaged.deliveries, (id) => [id]),
    damagedNotifications: Array.from(known.damaged.notifications, (id) => [id]),
  };
}

/** Whose opt-outs a delivery has to heed. */
export function whoOf({ tenant, target }: DeliveryRecord): string {
  return nameOf(tenant, target.recipientId);
}

function nameOf(tenant: string, recipientId: string): string {
  return [plain(tenant), plain(recipientId)].join(SEPARATOR);
}
