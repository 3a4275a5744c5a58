import { DELIVERY_STATES, NOTIFICATION_STATES, type Counts } from '@sendonce/core';
import { readCounters } from './counters.ts';
import type { Connection } from './database.ts';

export function countRows(connection: Connection, now: number): Counts {
  const sums = readCounters(connection);
  const rows = (source: string): number => connection.get<{ n: number }>(`SELECT count(*) AS n FROM ${source}`)?.n ?? 0;
  const of = <State extends string>(prefix: string, states: readonly State[]): Record<State, number> =>
    Object.fromEntries(states.map((state) => [state, sums.get(`${prefix}:${state}`) ?? 0])) as Record<State, number>;
  return {
    deliveries: of('d', DELIVERY_STATES),
    notifications: of('n', NOTIFICATION_STATES),
    unsealed: rows(`sendonce_notifications WHERE sealed = 0 AND over_at IS NULL AND recipients = 'explicit'`),
    strays: rows('sendonce_strays'),
    assumed: sums.get('assumed') ?? 0,
    refusedMoves: sums.get('refused') ?? 0,
    unreadable: rows('sendonce_unreadable'),
    oldestDueMs: Math.max(0, now - (oldestDue(connection) ?? now)),
  };
}

function oldestDue(connection: Connection): number | null {
  const row = connection.get<{ at: number | null }>(
    `SELECT min(at) AS at FROM (
       SELECT min(work_at) AS at FROM sendonce_deliveries WHERE work_at IS NOT NULL
       UNION ALL SELECT min(work_at) FROM sendonce_notifications WHERE work_at IS NOT NULL)`,
  );
  return row?.at ?? null;
}
