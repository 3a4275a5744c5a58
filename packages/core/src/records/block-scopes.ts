import type { DeliveryRecord } from '../model/delivery.ts';

/** The scopes whose block holds this delivery back, the widest first. */
export function blockScopes({ provider, target, type, class: ofClass }: DeliveryRecord): readonly string[] {
  return ['all', `class:${ofClass}`, `type:${type}`, `channel:${target.channel}`, `provider:${provider}`];
}
