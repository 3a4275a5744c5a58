import { DELIVERY_STATES, NOTIFICATION_STATES, type Counts } from '@sendonce/core';
import { readCounters } from './counters.ts';
import type { Connection } from './database.ts';
import { FORGOTTEN } from './notification-row.ts';
import { oldestDue } from './oldest-due.ts';

export function countRows(connection: Connection, now: number): Counts {
  const sums = readCounters(connection);
  const rows = (source: string): number => connection.get<{ n: number }>(`SELECT count(*) AS n FROM ${source}`)?.n ?? 0;
  const of = <State extends string>(prefix: string, states: readonly State[]): Record<State, number> =>
    Object.fromEntries(states.map((state) => [state, sums.get(`${prefix}:${state}`) ?? 0])) as Record<State, number>;
  return {
    deliveries: of('d', DELIVERY_STATES),
    notifications: of('n', NOTIFICATION_STATES),
    unsealed: rows(`sendonce_notifications WHERE sealed = 0 AND over_at IS NULL AND recipients = 'explicit'`),
    forgotten: sums.get(`n:${FORGOTTEN}`) ?? 0,
    strays: rows('sendonce_strays'),
    assumed: sums.get('assumed') ?? 0,
    refusedMoves: sums.get('refused') ?? 0,
    unreadable: rows('sendonce_unreadable'),
    oldestDueMs: Math.max(0, now - (oldestDue(connection) ?? now)),
  };
}
