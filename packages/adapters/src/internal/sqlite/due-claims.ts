import type { DueClaims } from '@sendonce/core/records';
import type { Connection } from './database.ts';
import { parsed } from './sound.ts';

/** What each claim of due work was granted, until its lease is over. */
export function dueClaims(connection: Connection, now: () => number): DueClaims {
  return {
    grantedTo(requestId) {
      const row = connection.get<{ ids: string }>(
        'SELECT ids FROM sendonce_due_claims WHERE request_id = ?',
        requestId,
      );
      return row === undefined ? null : (parsed<string[]>(row.ids) ?? []);
    },
    remember(requestId, granted, untilMs) {
      connection.run('DELETE FROM sendonce_due_claims WHERE until <= ?', now());
      connection.run(
        'INSERT INTO sendonce_due_claims (request_id, until, ids) VALUES (?, ?, ?)',
        requestId,
        untilMs,
        JSON.stringify(granted),
      );
    },
  };
}
