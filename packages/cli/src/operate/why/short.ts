import type { DeliveryRecord } from '@sendonce/core';
import type { Desk } from '../desk.ts';
import { columns, cut, relative } from '../words.ts';

/** Deliveries that are told one by one. */
export const MOST_SHORT = 20;

/** Deliveries in a line each. */
export function shortLines(records: readonly DeliveryRecord[], { masks, now }: Desk): string[] {
  return columns(
    records.map((record) => {
      const { target, reason, replacedBy, updatedAt } = record;
      const more =
        replacedBy === null ? (reason === null ? '' : masks.text(reason, target)) : `sent again as ${replacedBy}`;
      return [
        `  ${record.id}`,
        record.state,
        relative(updatedAt, now()),
        record.type,
        `${masks.address(target.to)} on ${target.channel}`,
        cut(more, 70),
      ];
    }),
  );
}
