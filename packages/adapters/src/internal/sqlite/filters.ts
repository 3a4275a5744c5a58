import type { DeliveryFilter, NotificationFilter } from '@sendonce/core';
import { isListedByAttention } from './attention.ts';
import type { SqlValue } from './database.ts';
import { FORGOTTEN } from './notification-row.ts';

/** Parts of a WHERE that all have to hold, with the values of their placeholders in order. */
export interface Conditions {
  readonly conditions: readonly string[];
  readonly values: readonly SqlValue[];
}

/**
 * The queries that together make a list. Where an index has the states, each state is one query: its rows come in order of themselves,
 * while those of several states at once would all be sorted for every page.
 */
export function scansOf(filter: DeliveryFilter, now: number): readonly Conditions[] {
  const { states } = filter;
  const rest = conditionsOf(filter, now);
  if (states === undefined) return [rest];
  const { conditions, values } = rest;
  if (!isListedByAttention(states))
    return [
      {
        conditions: ['d.state IN (SELECT value FROM json_each(?))', ...conditions],
        values: [JSON.stringify(states), ...values],
      },
    ];
  return [...new Set(states)].map((state) => ({
    conditions: ['d.attention = ?', ...conditions],
    values: [state, ...values],
  }));
}

/** All but the states. */
function conditionsOf(filter: DeliveryFilter, now: number): Conditions {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  function add(condition: string, ...more: SqlValue[]): void {
    conditions.push(condition);
    values.push(...more);
  }
  const { notificationId, tenant, type, channel, provider, recipientId, settledForMs, redrivesBelow } = filter;
  if (notificationId !== undefined)
    add('d.notification = (SELECT seq FROM sendonce_notifications WHERE id = ?)', notificationId);
  if (tenant !== undefined) add('n.tenant = ?', tenant);
  if (type !== undefined) add('n.type = ?', type);
  if (channel !== undefined) add('d.channel = ?', channel);
  if (provider !== undefined) add('d.provider = ?', provider);
  if (recipientId !== undefined) add('d.recipient = ?', recipientId);
  if (settledForMs !== undefined) add('d.settled_at <= ?', now - settledForMs);
  if (redrivesBelow !== undefined)
    // SQLite fails the whole query on one row that is no JSON.
    add(
      `CASE WHEN json_valid(d.fixed) AND json_valid(d.body)
        THEN (d.fixed ->> 'redrives') < ? AND (d.body ->> 'replacedBy') IS NULL ELSE 0 END`,
      redrivesBelow,
    );
  return { conditions, values };
}

export function notificationConditions({ states, sealed }: NotificationFilter): Conditions {
  const conditions: string[] = [`state <> '${FORGOTTEN}'`];
  const values: SqlValue[] = [];
  if (states !== undefined) {
    conditions.push('state IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(states));
  }
  if (sealed !== undefined) {
    conditions.push('sealed = ?');
    values.push(sealed ? 1 : 0);
  }
  return { conditions, values };
}
