import type { DeliveryRecord } from '@sendonce/core';
import type { Due, DueRecords, Ref } from '@sendonce/core/records';
import type { Connection } from './database.ts';
import type { DeliveryEntries } from './delivery-entries.ts';
import type { DeliveryRow } from './delivery-row.ts';
import { dueRows } from './due.ts';

/** Deliveries in the order of a column that has the time `timeOf` says. */
export function deliveriesDue(
  connection: Connection,
  entries: DeliveryEntries,
  column: 'work_at' | 'watch_at',
  timeOf: (record: DeliveryRecord) => number | null,
): DueRecords<Ref> {
  return {
    *due(untilMs, expected): Generator<Due<Ref>> {
      type Row = DeliveryRow & Record<typeof column, number>;
      const sql = entries.rowsOf(
        `sendonce_deliveries d WHERE d.${column} <= ? AND (d.${column}, d.seq) > (?, ?) ORDER BY d.${column}, d.seq LIMIT ?`,
      );
      const rows = dueRows<Row>(
        expected,
        (row) => row[column],
        (at, seq, limit) => connection.all<Row>(sql, untilMs, at, seq, limit),
      );
      for (const row of rows) {
        const item = entries.enter(row);
        const record = entries.get(item)?.record;
        // Changed earlier in this transaction: what the row says is not so any more.
        if (record !== undefined && timeOf(record) === row[column]) yield { at: row[column], item };
      }
    },
    leave() {},
  };
}
