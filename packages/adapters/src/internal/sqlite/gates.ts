import { blockScopes, type Gates } from '@sendonce/core/records';
import type { Connection } from './database.ts';

/** Opt-outs and blocks, as tables. What is looked at for each mark is read once a transaction. */
export interface SqliteGates extends Gates {
  /** A new transaction: others may have written. */
  begin(): void;
}

export function gates(connection: Connection): SqliteGates {
  let hasSuppressions: boolean | null = null;
  let blocks: ReadonlyMap<string, number> | null = null;

  function readBlocks(): ReadonlyMap<string, number> {
    const rows = connection.all<{ scope: string; recheck_ms: number }>('SELECT scope, recheck_ms FROM sendonce_blocks');
    return new Map(rows.map(({ scope, recheck_ms: recheckMs }) => [scope, recheckMs]));
  }

  return {
    begin() {
      hasSuppressions = null;
      blocks = null;
    },
    suppress({ tenant, recipientId, topic, channel, suppressed, by, why }) {
      hasSuppressions = null;
      if (suppressed)
        connection.run(
          'INSERT INTO sendonce_suppressions (tenant, recipient, topic, channel, by, why) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
          tenant,
          recipientId,
          topic,
          channel,
          by,
          why,
        );
      else
        connection.run(
          'DELETE FROM sendonce_suppressions WHERE tenant = ? AND recipient = ? AND topic = ? AND channel = ?',
          tenant,
          recipientId,
          topic,
          channel,
        );
    },
    isSuppressed({ tenant, topic, target: { recipientId, channel } }) {
      if (topic === null) return false;
      hasSuppressions ??= connection.get('SELECT 1 FROM sendonce_suppressions LIMIT 1') !== undefined;
      return (
        hasSuppressions &&
        connection.get(
          `SELECT 1 FROM sendonce_suppressions WHERE tenant = ? AND recipient = ? AND topic IN (?, '*') AND channel IN (?, '*') LIMIT 1`,
          tenant,
          recipientId,
          topic,
          channel,
        ) !== undefined
      );
    },
    block({ scope, blocked, recheckMs, by, why }) {
      blocks = null;
      if (!blocked) connection.run('DELETE FROM sendonce_blocks WHERE scope = ?', scope);
      else
        connection.run(
          `INSERT INTO sendonce_blocks (scope, recheck_ms, by, why) VALUES (?, ?, ?, ?)
           ON CONFLICT (scope) DO UPDATE SET recheck_ms = excluded.recheck_ms, by = excluded.by, why = excluded.why`,
          scope,
          recheckMs,
          by,
          why,
        );
    },
    blockOn(record) {
      blocks ??= readBlocks();
      if (blocks.size === 0) return null;
      for (const scope of blockScopes(record)) {
        const recheckMs = blocks.get(scope);
        if (recheckMs !== undefined) return { scope, recheckMs };
      }
      return null;
    },
  };
}
