import type { DeliveryRecord } from '@sendonce/core';
import type { Masks } from './mask.ts';
import { absolute } from './words.ts';

/** A delivery for a program, without its content. Times are ISO 8601 in UTC. */
export interface LetterJson {
  readonly id: string;
  readonly notificationId: string;
  readonly tenant: string;
  readonly type: string;
  readonly class: string;
  readonly channel: string;
  /** Masked, unless addresses are asked for. */
  readonly to: string;
  readonly recipientId: string;
  readonly state: string;
  readonly reason: string | null;
  readonly provider: string;
  readonly attempts: number;
  readonly generation: number;
  readonly createdAt: string;
  readonly settledAt: string | null;
  readonly expiresAt: string | null;
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  /** Who asked for this generation, and why. */
  readonly operator: { readonly by: string; readonly why: string } | null;
}

export function letterJson(record: DeliveryRecord, masks: Masks): LetterJson {
  const { target, attempts, reason, createdAt, settledAt, expiresAt } = record;
  return {
    id: record.id,
    notificationId: record.notificationId,
    tenant: record.tenant,
    type: record.type,
    class: record.class,
    channel: target.channel,
    to: masks.address(target.to),
    recipientId: masks.recipient(target),
    state: record.state,
    reason: reason === null ? null : masks.text(reason, target),
    provider: record.provider,
    attempts: attempts.length,
    generation: record.generation,
    createdAt: absolute(createdAt),
    settledAt: settledAt === null ? null : absolute(settledAt),
    expiresAt: expiresAt === null ? null : absolute(expiresAt),
    replaces: record.replaces,
    replacedBy: record.replacedBy,
    operator: record.operator,
  };
}
