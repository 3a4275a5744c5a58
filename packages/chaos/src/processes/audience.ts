import {
  deliveryId,
  notificationId,
  toTarget,
  type DeliveryRecord,
  type MessageContent,
  type Target,
} from '@sendonce/core';
import type { EndFacts } from '../checkers/facts.ts';
import type { Workload } from '../workload.ts';
import { TENANT } from '../world/requested.ts';
import type { MailboxLine } from './mailbox-file.ts';

/** Who was asked for, and what they were to get: known to the supervisor before anything is sent, whatever workers do. */
export interface Audience {
  readonly notificationId: string;
  readonly numbers: readonly number[];
  readonly input: EndFacts['input'];
  /** The first delivery of a recipient; null: not part of this run. */
  deliveryOf(recipient: number): string | null;
  /** -1: nobody asked for it. */
  recipientOf(record: Pick<DeliveryRecord, 'id' | 'replaces' | 'target'>): number;
  /** Whose mailbox a message lands in: the address decides, whatever delivery its sender named. -1: nobody's. */
  recipientAt(line: Pick<MailboxLine, 'deliveryId' | 'to'>): number;
  addressOf(recipient: number): string | null;
  /** The user's own id, where a list says so. */
  idOf(recipient: number): string | null;
  contentOf(recipient: number, record: Pick<DeliveryRecord, 'id' | 'generation'>): MessageContent;
}

type Make = (data: unknown, target: Target, of: { deliveryId: string; generation: number }) => MessageContent;

/** The audience of the one notification that a real run publishes. */
export function audienceOf(workload: Workload): Audience {
  const { known, input, notifications } = workload;
  if (known === null) throw new Error('the recipients of a real run are known beforehand');
  const { type, key, data } = workload.publication(0);
  const parent = notificationId(TENANT, type, key);
  const content = notifications[type]?.content as unknown as Make;
  const targets = new Map(known.numbers.map((number) => [number, toTarget(known.targetOf(number))]));
  const ids = new Map<number, string>();
  const byDelivery = new Map<string, number>();
  const byAddress = new Map<string, number>();
  for (const [number, { recipientId, channel, destinationId, to }] of targets) {
    const id = deliveryId({ notificationId: parent, recipientId, channel, destinationId, generation: 0 });
    ids.set(number, id);
    byDelivery.set(id, number);
    byAddress.set(to, number);
  }
  return {
    notificationId: parent,
    numbers: known.numbers,
    input,
    deliveryOf: (recipient) => ids.get(recipient) ?? null,
    recipientOf({ id, replaces, target }) {
      const first = byDelivery.get(id);
      if (first !== undefined) return first;
      return replaces === null ? -1 : (byAddress.get(target.to) ?? -1);
    },
    recipientAt({ deliveryId: named, to }) {
      const number = byDelivery.get(named);
      if (number !== undefined && targets.get(number)?.to === to) return number;
      return byAddress.get(to) ?? -1;
    },
    idOf: (recipient) => (targets.has(recipient) ? (known.targetOf(recipient).id ?? null) : null),
    addressOf: (recipient) => targets.get(recipient)?.to ?? null,
    contentOf: (recipient, { id, generation }) =>
      content(data, targets.get(recipient) as Target, { deliveryId: id, generation }),
  };
}
